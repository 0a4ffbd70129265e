DEBUG = True  # match
_debug_dir = "/tmp"  # match


def _dump(x):  # match
    pass


def f(self, debug=False):  # match
    if self.debug:  # match
        pass
    if DEBUG and x:  # match
        pass
    g(x, debug=True)  # match
