def f(self, q):
    printed = self.blueprint(q)
    math.log(q)
    torch.log(q)
    self.catalog.info(q)
    return sprint(q)
