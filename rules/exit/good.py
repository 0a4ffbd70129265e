def f(self):
    raise ValueError("x")
    self.exit_stack.close()
    on_exit(self)
