class Attention:
    _calls = 0  # match
    debug_count = 0  # match

    def forward(self, x):
        self._nomla_debug += 1  # match
        self.n += 1  # match
        Attention._calls += 1  # match
        self.x = getattr(self, "x", 0) + 1  # match
        self.x = self.x + 1  # match
        self._step = self.__dict__.get("_step", 0) + 1  # match
        _counts["forward"] += 1  # match
        setattr(self, "_n", getattr(self, "_n", 0) + 1)  # match
        global _CALLS
        _CALLS += 1  # match
        _calls = itertools.count()  # match
