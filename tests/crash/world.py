"""A small world to do harm in, and what must be true of it afterwards."""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

import dumps
from small import SOURCE, Small
from tree import differences, snapshot

CHECKOUT = Path(__file__).resolve().parents[2]
SHIM = CHECKOUT / "build" / "tests" / "crash" / "libcrash_shim.so"
KILLED = -9


class World:
    """A dirty environment with two dumps and a plan to clean it, all on one memory file system, made anew each time.
    `quarantine` lies on another one; it is used where `apply` is told so."""

    def __init__(self, place, apply=(), always=None):
        self.place = Path(place)
        self.env, self.dumps, self.state_dir = (self.place / name for name in ("env", "dumps", "state"))
        self.quarantine = Path("/var/tmp") / self.place.name
        self.program = os.environ.get("PRISTINE", str(CHECKOUT / "build" / "pristine"))
        self.apply_options = [option.format(quarantine=self.quarantine) for option in apply]
        self.always = always or {}
        self.deletes = "--delete" in apply

    def make(self, plan=True):
        self.remove()
        for folder in (self.place, self.dumps, self.quarantine):
            folder.mkdir()
        self.small = Small(self.env)
        self.small.debug(f"{self.dumps}/small_debug_tp%d.pt")
        for rank in range(2):
            dump = self.dumps / f"small_debug_tp{rank}.pt"
            dump.write_bytes(dumps.torch_zip())
            os.setxattr(dump, "user.rank", b"%d" % rank)
            os.chmod(dump, 0o604)
        os.chmod(self.small.module, 0o640)
        if os.geteuid() == 0:
            os.chown(self.small.module, 1, 1)
        os.setxattr(self.small.module, "user.note", b"kept")
        self.dirty = self.state()
        if plan:
            self.run("plan", self.env, status=1)

    def remove(self):
        for folder in (self.place, self.quarantine):
            shutil.rmtree(folder, ignore_errors=True)

    def state(self):
        return snapshot(self.env, self.dumps, self.quarantine)

    def run(self, command, *arguments, status=None, **harm):
        harm = {**self.always, **harm}
        environment = {**os.environ, **{name: str(value) for name, value in harm.items()}}
        if harm:
            environment["LD_PRELOAD"] = str(SHIM)
        done = subprocess.run([self.program, f"--state-dir={self.state_dir}", command, *map(str, arguments)],
                              capture_output=True, env=environment, stdin=subprocess.DEVNULL, timeout=60)
        self.shown = (f"{command} {arguments} {harm} -> {done.returncode}\n{done.stdout.decode(errors='replace')}\n"
                      f"{done.stderr.decode(errors='replace')}")
        assert done.returncode == KILLED or 0 <= done.returncode <= 5, self.shown
        assert status is None or done.returncode == status, self.shown
        return done

    def apply(self, status=None, **harm):
        return self.run("apply", "--yes", *self.apply_options, status=status, **harm)

    def undo(self, status=None, **harm):
        return self.run("undo", "--yes", status=status, **harm)

    def assert_dirty(self):
        """As before the plan, to the last attribute; but what was deleted for good may be gone."""
        now = self.state()
        gone = [path for path in self.dirty if self.deletes and path.endswith(".pt") and path not in now]
        before = {path: what for path, what in self.dirty.items() if path not in gone}
        assert not differences(before, now), (differences(before, now), self.shown)

    def assert_clean(self):
        assert self.small.module.read_bytes() == SOURCE, self.shown
        assert os.getxattr(self.small.module, "user.note") == b"kept"
        assert self.small.module.stat().st_mode & 0o7777 == 0o640
        assert not self.small.bytecode.exists()
        assert not list(self.dumps.glob("*.pt"))
        strays = list(self.env.rglob(".pristine*"))
        assert not strays, strays
        self.run("verify", status=0)

    def undo_and_compare(self):
        self.undo(status=0)
        self.assert_dirty()

    def apply_again_and_undo(self):
        self.apply(status=0)
        self.assert_clean()
        self.undo_and_compare()

    def calls(self, command, *arguments, status=0, **harm):
        """The calls of an unharmed run: (name, path, other path)."""
        log = self.place / "calls"
        with contextlib.suppress(FileNotFoundError):
            log.unlink()
        self.run(command, *arguments, status=status, CRASH_LOG=log, **harm)
        return [line.split("\t") for line in log.read_text(errors="surrogateescape").splitlines()]

    def calls_of_apply(self):
        return self.calls("apply", "--yes", *self.apply_options)
