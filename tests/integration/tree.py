"""What a tree is, to the last attribute: for "byte-identical" to mean something."""

import hashlib
import os
import stat
from pathlib import Path

# May itself lie beneath /tmp, with what other tests do in it.
CHECKOUT = str(Path(__file__).resolve().parents[2])


def snapshot(*places, directories=True):
    """path -> (type and mode, owner, group, size, mtime in ns, xattrs, digest or link target); directories without times."""
    seen = {}
    for place in places:
        place = os.fspath(place)
        _add(seen, place, directories)
        for parent, subdirs, files in os.walk(place):
            subdirs[:] = [name for name in subdirs if os.path.join(parent, name) != CHECKOUT]
            for name in subdirs + files:
                _add(seen, os.path.join(parent, name), directories)
    return seen


def _add(seen, path, directories):
    try:
        st = os.lstat(path)
    except FileNotFoundError:
        return
    content, when, xattrs = None, st.st_mtime_ns, {}
    if stat.S_ISLNK(st.st_mode):
        content = os.readlink(path)
    elif stat.S_ISREG(st.st_mode):
        with open(path, "rb") as file:
            content = hashlib.sha256(file.read()).hexdigest()
    elif stat.S_ISDIR(st.st_mode):
        if not directories:
            return
        when = None
    if not stat.S_ISLNK(st.st_mode):
        try:
            xattrs = {name: os.getxattr(path, name) for name in os.listxattr(path)}
        except OSError:
            xattrs = {}
    size = st.st_size if not stat.S_ISDIR(st.st_mode) else None
    seen[path] = (st.st_mode, st.st_uid, st.st_gid, size, when, xattrs, content)


def differences(before, after):
    """One line per path that is not as it was."""
    return [f"{path}: {before.get(path)} -> {after.get(path)}"
            for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]
