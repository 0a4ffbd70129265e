def f(self):
    self.is_sleeping = True
    return self.input(x), sleepy(1)
