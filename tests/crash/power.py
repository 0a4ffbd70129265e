"""What a power cut leaves on a disk: a file system kept in mind, fed with the trace of a run (trace.h).

Each file and directory is there twice: as the running program sees it, and as the disk has it. What is written goes into
the first; fsync() of a file copies its bytes and attributes, fsync() of a directory its names, into the second. Between the
two a disk is free: `cut()` gives one of the states that may be found after the power is back.

    LOST    nothing but what was flushed
    NAMES   all changes of names, and no bytes that were not flushed: files that are there and empty
    MIXED   of each directory some of the pending changes, the earlier before the later; of each file some of its writes

In MIXED the two halves of a rename across directories may part, but only so that the file has two names: no file system of
Linux loses it.
"""

import os
import shutil
import stat
from pathlib import Path

LOST, NAMES = "lost", "names"


class Node:
    def __init__(self, is_directory, mode, user, group):
        self.is_directory = is_directory
        self.content = {} if is_directory else bytearray()
        self.durable = {} if is_directory else b""
        self.pending = []  # directories: (name, inode or None, what must be there as well); files: (offset, data) or size
        self.attributes = (mode, user, group, None, {})


class Disk:
    """The trees beneath `places` as they are now, all of it durable."""

    def __init__(self, *places):
        self.nodes = {}
        self.roots = {Path(place): self._add(Path(place)) for place in places}

    def _add(self, path):
        st = os.lstat(path)
        number = st.st_dev << 40 ^ st.st_ino
        node = self.nodes[number] = Node(stat.S_ISDIR(st.st_mode), st.st_mode & 0o7777, st.st_uid, st.st_gid)
        xattrs = {name: os.getxattr(path, name) for name in os.listxattr(path)}
        node.attributes = (st.st_mode & 0o7777, st.st_uid, st.st_gid, st.st_mtime_ns, xattrs)
        if node.is_directory:
            node.content = {os.fsencode(name): self._add(path / name) for name in os.listdir(path)}
            node.durable = dict(node.content)
        else:
            node.durable = path.read_bytes()
            node.content = bytearray(node.durable)
        return number

    # ------------------------------------------------------------------ what the program does

    def do(self, line):
        kind, *words = line.split(" ")
        getattr(self, f"_do_{kind}")(*words)

    def _set(self, directory, name, inode, needs=None):
        node = self.nodes[int(directory)]
        if inode is None:
            del node.content[name]
        else:
            node.content[name] = inode
        node.pending.append((name, inode, needs))

    def _make(self, is_directory, directory, name, inode, mode, user, group):
        self.nodes[int(inode)] = Node(is_directory, int(mode), int(user), int(group))
        self._set(directory, _bytes(name), int(inode))

    def _do_file(self, *words):
        self._make(False, *words)

    def _do_dir(self, *words):
        self._make(True, *words)

    def _do_write(self, inode, offset, data):
        node, change = self.nodes[int(inode)], (int(offset), _bytes(data))
        _change(node.content, change)
        node.pending.append(change)

    def _do_size(self, inode, size):
        node = self.nodes[int(inode)]
        _change(node.content, int(size))
        node.pending.append(int(size))

    def _do_sync(self, inode, mode, user, group, mtime, xattrs):
        node = self.nodes[int(inode)]
        node.durable = dict(node.content) if node.is_directory else bytes(node.content)
        node.pending = []
        pairs = [pair.split("=") for pair in xattrs.split(",") if pair != "-"]
        node.attributes = (int(mode), int(user), int(group), int(mtime),
                           {os.fsdecode(_bytes(name)): _bytes(value) for name, value in pairs})

    def _do_unlink(self, directory, name):
        self._set(directory, _bytes(name), None)

    def _do_link(self, from_, name, to, target):
        self._set(to, _bytes(target), self.nodes[int(from_)].content[_bytes(name)])

    def _do_rename(self, from_, name, to, target):
        inode = self.nodes[int(from_)].content[_bytes(name)]
        if from_ == to:
            node = self.nodes[int(from_)]
            del node.content[_bytes(name)]
            node.content[_bytes(target)] = inode
            node.pending.append(("both", _bytes(name), None, _bytes(target), inode))
        else:
            self._set(to, _bytes(target), inode)
            self._set(from_, _bytes(name), None, needs=(int(to), _bytes(target), inode))

    def _do_exchange(self, from_, name, to, target):
        assert from_ == to
        node, one, other = self.nodes[int(from_)], _bytes(name), _bytes(target)
        node.content[one], node.content[other] = node.content[other], node.content[one]
        node.pending.append(("both", one, node.content[one], other, node.content[other]))

    # ------------------------------------------------------------------ what is left

    def cut(self, how):
        """How: LOST, NAMES, or a random.Random for one of the MIXED. Gives inode -> names or bytes."""
        left = {}
        for inode, node in self.nodes.items():
            if node.is_directory:
                left[inode] = dict(node.content if how is NAMES else node.durable)
            else:
                left[inode] = bytes(node.durable)
        if how not in (LOST, NAMES):
            self._mix(left, how)
        return left

    def _mix(self, left, random):
        removals = []
        for inode, node in self.nodes.items():
            for change in node.pending[:random.randint(0, len(node.pending))]:
                if not node.is_directory:
                    content = bytearray(left[inode])
                    if isinstance(change, tuple) and random.random() < 0.2:
                        change = (change[0], change[1][:random.randint(0, len(change[1]))])
                    _change(content, change)
                    left[inode] = bytes(content)
                elif change[0] == "both":
                    _set_name(left[inode], *change[1:3])
                    _set_name(left[inode], *change[3:5])
                elif len(change) == 3 and change[2] is not None:
                    removals.append((inode, change))
                else:
                    _set_name(left[inode], *change[:2])
        for inode, (name, _, (directory, other, moved)) in removals:
            if left[directory].get(other) == moved:
                _set_name(left[inode], name, None)

    def put(self, left):
        """Makes the trees anew as the power cut left them. SQLite's -shm file is no part of them: it is memory."""
        for place, root in self.roots.items():
            shutil.rmtree(place)
            self._put(root, place, left, {})

    def _put(self, inode, path, left, made):
        mode, user, group, mtime, xattrs = self.nodes[inode].attributes
        if self.nodes[inode].is_directory:
            path.mkdir()
            for name, child in left[inode].items():
                self._put(child, path / os.fsdecode(name), left, made)
        elif inode in made:
            os.link(made[inode], path)
            return
        else:
            path.write_bytes(left[inode] if not path.name.endswith("-shm") else b"")
            made[inode] = path
        os.chown(path, user, group)
        os.chmod(path, mode)
        for name, value in xattrs.items():
            os.setxattr(path, name, value)
        if mtime is not None:
            os.utime(path, ns=(mtime, mtime))


def _bytes(word):
    return b"" if word == "-" else bytes.fromhex(word)


def _set_name(names, name, inode):
    names.pop(name, None)
    if inode is not None:
        names[name] = inode


def _change(content, change):
    if isinstance(change, int):
        del content[change:]
        content.extend(bytes(change - len(content)))
        return
    offset, data = change
    content.extend(bytes(max(0, offset - len(content))))
    content[offset:offset + len(data)] = data
