_dumped = False  # match


class Attention:
    _nomla_saved = False  # match

    def forward(self, q):
        if not hasattr(self, "_saved"):  # match
            self._saved = True  # match
        Attention._nomla_saved = True  # match
        setattr(self, "_done", True)  # match
        if getattr(self, "_once", False):  # match
            pass
        globals()["x"] = True  # match
        _seen.add(1)  # match
        global _dumped  # match
        _dumped = True  # match
        self.debug_done = True  # match
