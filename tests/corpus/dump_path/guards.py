_seen = set()
_done = False
@functools.lru_cache(None)
def once():
    print("once", end="")
class A:
    def f(self, q):
        global _done
        if _done or q is None: return
        _done = True
        if not hasattr(self, "_x"): self._x = 0
        self._x += 1
        if self._x == 3 and q.id not in _seen:
            _seen.add(q.id)
            try: self._y
            except AttributeError: self._y = 1; print("y %s" % q)
        elif not os.path.exists(p := "/tmp/a"): open(p, "w")
        else: q and self._dump(q)
        match q:
            case [a, *b] if a: log.info(f"a{b=}")
            case 5 | 6: pass
    def _dump(self, t, n="a", *args, **kw):
        lambda: torch.save(t, self._path(n))
    def _path(self, n):
        return self._path(n + "a") if n else "/tmp/" + n
