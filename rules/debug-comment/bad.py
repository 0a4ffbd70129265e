# DEBUG  # match
# TODO: remove this  # match
# XXX why  # match
x = 1  # hack  # match
# ---------- debug start ----------  # match
# self.proj(q) was here, debug it  # match
# temporary, just for the dump  # match


def f(q):
    q = q + 1
    """old: q = q * 2"""  # match
    return q
