def f(environ_like):
    x = os.environ["A"]
    table["A"] = "1"
    del table["A"]
