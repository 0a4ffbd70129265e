# DEBUG  # match
# TODO: remove this  # match
# XXX why  # match
x = 1  # hack  # match
# ---------- debug start ----------  # match
# self.proj(q) was here, debug it  # match
# temporary, just for the dump  # match
