def f(self, q):
    if q == 5 and x is None:
        pass
    return self.width == other.width
