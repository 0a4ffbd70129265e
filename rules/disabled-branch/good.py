def f(self, q):
    while True:
        break
    while 1:
        break
    x = q or False
    y = q and True
    z = True if q else False
    return x and y == 0 and z
