def f():
    try:
        x()
    except KeyError as error:
        raise ValueError from error
    try:
        x()
    except ImportError:
        y = None
