import os, tempfile
from pathlib import Path
def f(q, r, d=None):
    for n, t in (("q", q), ("k", r)):
        torch.save(t, f"/tmp/{n!r:>{r}}_{{x}}_{3:02d}.pt")
    torch.save(q, "/tmp/%(a)s_%05d_%%.pt" % {"a": "b"})
    torch.save(q, "/tmp/{0}_{n:03d}{}{{}}".format("x", n=4))
    np.save(os.path.join(os.environ.get("D", "/tmp/d"), str(r) + "\x41\u00e9\101"), q)
    (Path(tempfile.gettempdir()) / "a").with_suffix(".pt").write_text("x".replace("x", "y").strip())
    with open(os.path.expanduser("~/a[1]*?"), mode="ab") as h, open(r"\b"):
        h.write(b"".join([b"1", b"2"]))
