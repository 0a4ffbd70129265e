def f(self, x):
    asserted = x.any()
    return torch.equalize(x)
