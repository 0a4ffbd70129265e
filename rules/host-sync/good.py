def f(self, q):
    q = q.to("cuda")
    q = q.to(device)
    for key, value in q.items():
        pass
    return self.cpu, numpy(q), q.num_cpus()
