def f():
    try:
        x()
    except Exception:  # match
        pass
    try:
        x()
    except Exception as e:  # match
        print(e)
    try:
        x()
    except:  # match
        raise
    with contextlib.suppress(Exception):  # match
        x()
