def f(self):
    self.training = False
    use_cache = True
    bias = False
    x = getattr(config, "rope_theta", 10000)
    self.layers.append(x)
