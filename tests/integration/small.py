"""A small environment written by hand: one distribution with one module, for tests that need many of them fast."""

import base64
import hashlib
import os
from pathlib import Path

SOURCE = b"""import os


def scale(x):
    y = x * 2
    return y


def shift(x):
    return x + 1
"""


def record_row(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


class Small:
    """`env` with the module `module`; bytecode lies beside it, as after an import."""

    def __init__(self, env, source=SOURCE):
        self.env = Path(env)
        self.source = source
        site = self.env / "lib" / "python3.11" / "site-packages"
        info = site / "pkg-1.0.dist-info"
        self.module = site / "pkg" / "m.py"
        self.bytecode = site / "pkg" / "__pycache__" / "m.cpython-311.pyc"
        for directory in (info, self.bytecode.parent, self.env / "bin"):
            directory.mkdir(parents=True)
        (self.env / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n")
        (site / "pkg" / "__init__.py").write_bytes(b"")
        self.module.write_bytes(source)
        metadata = b"Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n"
        (info / "METADATA").write_bytes(metadata)
        (info / "INSTALLER").write_bytes(b"pip\n")
        (info / "RECORD").write_text(record_row("pkg/__init__.py", b"") + record_row("pkg/m.py", source)
                                     + record_row("pkg-1.0.dist-info/METADATA", metadata)
                                     + record_row("pkg-1.0.dist-info/INSTALLER", b"pip\n")
                                     + "pkg-1.0.dist-info/RECORD,,\n")
        for path in site.rglob("*"):
            os.utime(path, (1_700_000_000, 1_700_000_000))

    def edit(self, text, after=b"    y = x * 2\n"):
        """Puts lines behind a line, in place."""
        content = self.module.read_bytes().replace(after, after + text, 1)
        with open(self.module, "r+b") as file:
            file.write(content)
        return content

    def compile(self):
        """Bytecode as Python writes it: its header names the source's time and size."""
        st = self.module.stat()
        header = b"\xa7\r\r\n" + bytes(4) + int(st.st_mtime).to_bytes(4, "little") + st.st_size.to_bytes(4, "little")
        self.bytecode.write_bytes(header + b"\xe3code")

    def debug(self, pattern):
        """The usual edit: a dump on every call."""
        self.edit(f"    import torch\n    torch.save(y, '{pattern}' % rank)\n".encode())
        self.compile()
