def f():
    torch.manual_seed(0)  # match
    np.random.seed(0)  # match
    torch.use_deterministic_algorithms(True)  # match
    torch.backends.cudnn.deterministic = True  # match
    torch._dynamo.config.suppress_errors = True  # match


@torch._dynamo.disable  # match
def g():
    pass
