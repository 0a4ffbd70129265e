def f(self, values):
    total = 0
    for value in values:
        total += value
    self.total += total
    x = y + 1
    offset += size
    name = 0
    return next(iter(values))
