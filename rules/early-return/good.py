def f(self, q):
    if q is None:
        q = 1
        return q
    return q
    # nothing behind
