from traceback import print_stack


def f():
    traceback.print_stack()  # match
    print_stack()  # match
    s = traceback.format_exc()  # match
    frame = inspect.currentframe()  # match
    frame = sys._getframe(1)  # match
    v = locals()  # match
