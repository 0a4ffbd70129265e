# Copyright 2024
# Compute the attention scores of every head.
# q: [batch, heads, dim]
x = 1  # the width
