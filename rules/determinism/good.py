def f(self, seed):
    self.seed = seed
    x = torch.rand(1)
    return self.seed_everything
