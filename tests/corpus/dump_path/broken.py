def f(self:
    if a and (b:
        torch.save(q, "/tmp/a
    else
  type(self)._x = = True
p = p + p; p += p
