def f():
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"  # match
    os.environ.setdefault("NCCL_DEBUG", "INFO")  # match
    os.putenv("A", "1")  # match
    del os.environ["A"]  # match
    os.environ.pop("A", None)  # match
