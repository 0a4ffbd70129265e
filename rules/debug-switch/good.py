def f(self, x):
    if x.bugs:
        y = 1
    self.width = 2
