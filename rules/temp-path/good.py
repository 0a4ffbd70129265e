def f():
    """Writes to /tmp when asked."""
    x = "tmp/x"
    y = "/usr/tmp/x"
    z = "see /tmp/x"
