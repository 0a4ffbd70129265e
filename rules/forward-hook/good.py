def f(self):
    self.hook = 1
    self.register_buffer("x", y)
    self.register_parameter("w", None)
    forward = self.forward
    return register(self)
