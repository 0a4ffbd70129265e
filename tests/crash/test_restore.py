"""The steps of `restore` under the same harm: a file put where none stood, besides one whose lines were added to."""

import errno
import itertools
import os
import zipfile
from pathlib import Path

import pytest

from small import SOURCE, record_row
from world import KILLED, World

GONE = b"def gone():\n    return 1\n"


class RestoreWorld(World):
    """The small world, with one more installed file that is gone and a wheel that still holds it."""

    def make(self, plan=True):
        super().make(plan=False)
        site = self.small.module.parent.parent
        record = site / "pkg-1.0.dist-info" / "RECORD"
        record.write_text(record.read_text() + record_row("pkg/gone.py", GONE))
        os.utime(record, (1_700_000_000, 1_700_000_000))
        self.gone = self.small.module.parent / "gone.py"
        wheel = self.place / "pkg-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("pkg/gone.py", GONE)
            archive.writestr("pkg/m.py", SOURCE)
            archive.writestr("pkg-1.0.dist-info/RECORD", record_row("pkg/gone.py", GONE))
        self.dirty = self.state()
        self.run("plan", "--wheel", wheel, self.env, status=1)

    def assert_clean(self):
        assert self.gone.read_bytes() == GONE
        super().assert_clean()


@pytest.fixture(params=[None, {"CRASH_PLAIN": 1}], ids=["exchange", "plain"])
def world(request):
    world = RestoreWorld(Path("/dev/shm") / f"pristine-restore-{os.getpid()}", always=request.param)
    yield world
    world.remove()


@pytest.mark.parametrize("recover", [World.undo_and_compare, World.apply_again_and_undo])
def test_apply_killed_at_every_point(world, recover):
    for point in itertools.count(1):
        world.make()
        done = world.apply(CRASH_KILL_AT=point)
        if done.returncode == 0:
            assert point > 60
            return
        assert done.returncode == KILLED, world.shown
        recover(world)


def test_undo_killed_at_every_point(world):
    for point in itertools.count(1):
        world.make()
        world.apply(status=0)
        world.assert_clean()
        done = world.undo(CRASH_KILL_AT=point)
        if done.returncode == 0:
            assert point > 60
            return
        assert done.returncode == KILLED, world.shown
        world.undo_and_compare()


@pytest.mark.parametrize("command", ["apply", "undo"])
def test_every_call_failing_once(world, command):
    for point in itertools.count(1):
        world.make()
        if command == "undo":
            world.apply(status=0)
        done = getattr(world, command)(CRASH_FAIL_AT=point, CRASH_ERRNO=errno.EIO)
        assert done.returncode == 0 or done.stderr, world.shown
        world.undo_and_compare()
        if done.returncode == 0 and point > 200:
            return
