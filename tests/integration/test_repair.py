"""plan, apply, verify, undo, log, purge and accept, in a world small enough to try every corner."""

import fcntl
import json
import os
import sqlite3
import threading
from pathlib import Path

import pytest

import dumps
from small import SOURCE, Small
from tree import differences, snapshot

DUMPS = "/tmp/small_debug_tp%d.pt"


@pytest.fixture
def small(tmp_path):
    small = Small(tmp_path / "env")
    small.debug(DUMPS)
    for rank in range(2):
        Path(DUMPS % rank).write_bytes(dumps.torch_zip())
    yield small
    for path in Path("/tmp").glob("small_debug*"):
        path.unlink()
    for path in Path("/tmp").glob(".pristine*/*"):
        path.unlink()
    for path in Path("/tmp").glob(".pristine*"):
        path.rmdir()


def surgical(plan):
    return next(option for option in plan["options"] if option["name"] == "surgical")


def steps_of(plan, op):
    return [step for step in surgical(plan)["steps"] if step["op"] == op]


def test_whole_way(pristine, small):
    dirty = snapshot(small.env, "/tmp")
    plan = pristine.json("plan", small.env, status=1)
    assert plan["plan"] == "P0001" and plan["recommended"] == "surgical"
    assert [step["op"] for step in surgical(plan)["steps"]] == [
        "replace-file", "remove-bytecode", "quarantine", "quarantine", "verify"]
    assert all(step["before"].startswith("sha256:") for step in surgical(plan)["steps"][:-1])
    assert [option["why_not"] != "" for option in plan["options"]] == [False, True, True]
    applied = pristine.json("apply", "--yes")
    assert applied["verdict"] == "clean"
    assert small.module.read_bytes() == SOURCE and not small.bytecode.exists()
    assert not os.path.exists(DUMPS % 0)
    (quarantine,) = Path("/tmp").glob(".pristine-quarantine-P0001-*")
    assert quarantine.stat().st_mode & 0o777 == 0o700
    manifest = json.loads(next(quarantine.glob("manifest-*.json")).read_text())
    assert [entry["path"] for entry in manifest["files"]] == [DUMPS % 0, DUMPS % 1]
    assert pristine.json("verify")["verdict"] == "clean"
    log = pristine.json("log", "P0001")
    assert {step["state"] for step in log["steps"]} == {"done"}
    assert all(step["at"] and step["user"] == os.getuid() for step in log["steps"])
    assert "applied already" in pristine("apply", "P0001", "--yes").out
    pristine("undo", "--yes")
    assert not differences(dirty, snapshot(small.env, "/tmp"))
    assert pristine.json("verify", "P0001", status=1)["verdict"] == "dirty"
    log = pristine.json("log", "P0001")
    assert [event["state"] for event in log["steps"][0]["history"]] == ["done", "undone"]
    # And once more: the plan still fits.
    pristine("apply", "P0001", "--yes")
    assert small.module.read_bytes() == SOURCE


def test_clean_environment_has_nothing_to_do(pristine, tmp_path):
    plan = pristine.json("plan", Small(tmp_path / "env").env, status=0)
    assert plan["recommended"] == ""
    pristine("apply", "--yes", status=4)


def test_wanted_patch_stays(pristine, small):
    """A file holds a wanted patch and debug lines: the debug lines go alone, by name."""
    small.edit(b"    x = max(x, 0)  # our patch\n", after=b"def shift(x):\n")
    finding = pristine.json("check", small.env, status=1)["findings"][0]
    patch = next(hunk for hunk in finding["hunks"] if "our patch" in hunk["text"])
    plan = pristine.json("plan", small.env, "--keep", f"{small.module}#{patch['id']}", status=1)
    assert surgical(plan)["proof"] == "syntax only"
    dirty = snapshot(small.env, "/tmp")
    pristine("apply", plan["plan"], "--yes")
    text = small.module.read_text()
    assert "our patch" in text and "torch" not in text
    finding = pristine.json("check", small.env, status=1)["findings"][0]
    assert [hunk["id"] for hunk in finding["hunks"]] == [patch["id"]]
    pristine("undo", "--yes")
    assert not differences(dirty, snapshot(small.env, "/tmp"))
    plan = pristine.json("plan", small.env, "--keep", small.module, status=1)
    assert plan["recommended"] == ""
    assert any(str(small.module) in line for line in plan["left"])
    pristine("plan", small.env, "--keep", f"{small.module}#ffff", status=2)


def test_accepted_hunk_stays_until_it_changes(pristine, small):
    small.edit(b"    x = max(x, 0)  # our patch\n", after=b"def shift(x):\n")
    finding = pristine.json("check", small.env, status=1)["findings"][0]
    patch = next(hunk for hunk in finding["hunks"] if "our patch" in hunk["text"])
    pristine("accept", f"{small.module}#{patch['id']}", "--reason", "site policy")
    plan = pristine.json("plan", small.env, status=1)
    assert surgical(plan)["proof"] == "syntax only"
    pristine("apply", plan["plan"], "--yes")
    assert pristine.json("check", small.env, status=0)["verdict"] == "clean"
    small.edit(b"    x += 1\n", after=b"    x = max(x, 0)  # our patch\n")
    pristine("check", small.env, status=1)


def test_accept_by_id_list_and_remove(pristine, small):
    finding = pristine.json("check", small.env, status=1)["findings"][0]
    pristine("accept", finding["id"], status=2)  # no reason
    pristine("accept", finding["id"][:8], "--reason", "wanted\x1b[31m")
    report = pristine.json("check", small.env, status=0)
    assert report["findings"][0]["accepted"] is True
    assert "\x1b" not in pristine("accept", "--list").out
    assert pristine.json("plan", small.env, status=0)["recommended"] == ""
    with open(small.module, "ab") as file:
        file.write(b"# more\n")
    pristine("check", small.env, status=1)
    pristine("accept", "--remove", small.module)
    assert "wanted" not in pristine("accept", "--list").out
    pristine("accept", "--remove", small.module, status=None)


def test_quarantine_elsewhere_and_purge(pristine, small, tmp_path):
    place = tmp_path / "kept"
    place.mkdir()
    dirty = snapshot(small.env, "/tmp")
    pristine("plan", small.env, status=1)
    pristine("apply", "--yes", "--quarantine", tmp_path / "absent", status=4)
    assert not differences(dirty, snapshot(small.env, "/tmp"))
    pristine("apply", "--yes", "--quarantine", place)
    assert len(list(place.rglob("small_debug*"))) == 2
    pristine("undo", "--yes")
    assert not differences(dirty, snapshot(small.env, "/tmp"))
    assert list(place.iterdir()) == []
    pristine("apply", "P0001", "--yes", "--quarantine", place)
    pristine("purge", status=4)  # nobody to ask
    pristine("purge", "--yes")
    assert list(place.iterdir()) == []
    result = pristine("undo", "--yes")
    assert "purged" in result.out + result.err
    assert small.module.read_bytes() != SOURCE
    assert not os.path.exists(DUMPS % 0)


def test_artifacts_alone_cannot_come_back_after_a_purge(pristine, small):
    small.module.write_bytes(SOURCE)
    small.bytecode.unlink()
    pristine("plan", small.env, "--artifacts", DUMPS.replace("%d", "*"), status=1)
    pristine("apply", "--yes")
    pristine("purge", "P0001", "--yes")
    assert "purged" in pristine("undo", "--yes", status=4).err


def test_delete(pristine, small):
    pristine("plan", small.env, status=1)
    pristine("apply", "--yes", "--delete")
    assert not list(Path("/tmp").glob("*small_debug*")) and not list(Path("/tmp").glob(".pristine*"))
    result = pristine("undo", "--yes")
    assert "deleted for good" in " ".join((result.out + result.err).split())
    assert small.module.read_bytes() != SOURCE


def test_planted_links_are_never_taken(pristine, small, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(dumps.torch_zip())
    os.symlink(victim, DUMPS % 2)
    Path("/tmp/small_debug_of_somebody").write_bytes(dumps.torch_zip())
    os.link("/tmp/small_debug_of_somebody", DUMPS % 3)
    os.mkfifo(DUMPS % 4)
    plan = pristine.json("plan", small.env, status=1)
    assert [step["path"] for step in steps_of(plan, "quarantine")] == [DUMPS % 0, DUMPS % 1]
    pristine("apply", "--yes")
    assert victim.exists() and os.path.islink(DUMPS % 2) and os.path.exists(DUMPS % 3)


def test_directory_behind_a_link_is_not_entered(pristine, tmp_path):
    """Debug code writes below a directory that somebody else may have put a link in the place of."""
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "dumps").symlink_to(real)
    (real / "trace_debug_tp0.pt").write_bytes(dumps.torch_zip())
    small = Small(tmp_path / "env")
    small.debug(f"{tmp_path}/dumps/trace_debug_tp%d.pt")
    plan = pristine.json("plan", small.env, status=1)
    assert steps_of(plan, "quarantine") == []


@pytest.mark.parametrize("change", ["append", "replace", "touch", "link", "gone", "directory"])
def test_artifact_that_moved_since(pristine, small, change):
    plan = pristine.json("plan", small.env, status=1)
    victim = Path(DUMPS % 1)
    if change == "append":
        victim.write_bytes(victim.read_bytes() + b"x")
    elif change == "replace":
        content = victim.read_bytes()
        victim.unlink()
        Path(f"{victim}.other").write_bytes(b"hold the inode")
        victim.write_bytes(content)
    elif change == "touch":
        os.utime(victim)
    elif change == "link":
        os.link(victim, f"{victim}.second")
    else:
        victim.unlink()
        if change == "directory":
            victim.mkdir()
    before = snapshot(small.env, "/tmp")
    assert str(victim) in pristine("apply", plan["plan"], "--yes", status=4).err
    assert not differences(before, snapshot(small.env, "/tmp"))
    if change == "directory":
        victim.rmdir()


def test_new_bytecode_since(pristine, small):
    plan = pristine.json("plan", small.env, status=1)
    other = small.bytecode.with_name("m.cpython-311.opt-2.pyc")
    other.write_bytes(small.bytecode.read_bytes())
    assert str(other) in pristine("apply", plan["plan"], "--yes", status=4).err
    plan = pristine.json("plan", small.env, status=1)
    assert len(steps_of(plan, "remove-bytecode")) == 2
    pristine("apply", "--yes")
    assert not other.exists() and not small.bytecode.exists()


def test_undo_after_python_compiled_again(pristine, small):
    dirty = snapshot(small.env, "/tmp")
    pristine("plan", small.env, status=1)
    pristine("apply", "--yes")
    small.compile()
    assert pristine.json("verify")["verdict"] == "clean"
    pristine("undo", "--yes")
    assert not differences(dirty, snapshot(small.env, "/tmp"))


def test_directories_get_their_times_back(pristine, small):
    """Unless somebody else was at work in them meanwhile."""
    places = [small.module.parent, small.bytecode.parent]
    for place in places:
        os.utime(place, (1_600_000_000, 1_600_000_000))
    pristine("plan", small.env, status=1)
    pristine("apply", "--yes")
    pristine("undo", "--yes")
    assert [place.stat().st_mtime for place in places] == [1_600_000_000] * 2
    pristine("apply", "P0001", "--yes")
    (small.module.parent / "new.txt").write_text("x")
    pristine("undo", "--yes")
    assert places[0].stat().st_mtime != 1_600_000_000 and places[1].stat().st_mtime == 1_600_000_000


def test_undo_keeps_work_done_since(pristine, small):
    pristine("plan", small.env, status=1)
    pristine("apply", "--yes")
    small.edit(b"    # my own work\n")
    before = snapshot(small.env, "/tmp")
    assert str(small.module) in pristine("undo", "--yes", status=4).err
    assert not differences(before, snapshot(small.env, "/tmp"))
    report = pristine.json("verify", status=1)
    assert report["verdict"] == "dirty"


def test_hard_linked_module(pristine, small, tmp_path):
    """As uv installs: the edit is in the cache too. Writing through the link would hide that; it is said instead."""
    sibling = tmp_path / "cache.py"
    os.link(small.module, sibling)
    edited = sibling.read_bytes()
    plan = pristine.json("plan", small.env, status=1)
    assert any("hard links" in risk for risk in surgical(plan)["risks"])
    pristine("apply", "--yes")
    assert small.module.read_bytes() == SOURCE and sibling.read_bytes() == edited


def test_installer_at_work(pristine, small):
    plan = pristine.json("plan", small.env, status=1)
    before = snapshot(small.env, "/tmp")
    with open(small.env / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = pristine("apply", plan["plan"], "--yes", status=4)
    assert "installer" in result.err
    (small.env / ".lock").unlink()
    assert not differences(before, snapshot(small.env, "/tmp"))


def test_state_directory_others_can_write_to(pristine, small):
    pristine.state_dir.mkdir()
    pristine.state_dir.chmod(0o777)
    assert "others can write" in pristine("plan", small.env, status=None).err
    assert not (pristine.state_dir / "journal.sqlite").exists()


def test_interrupted_plan_comes_first(pristine, small, tmp_path):
    pristine("plan", small.env, status=1)
    pristine("plan", small.env, status=1)
    database = sqlite3.connect(pristine.state_dir / "journal.sqlite")
    with database:
        database.execute("UPDATE plan SET state = CAST('applying' AS BLOB), chosen = recommended,"
                         " token = CAST(? AS BLOB) WHERE number = 1", ("ab" * 16,))
    database.close()
    result = pristine("check", small.env, status=1)
    assert "P0001" in result.out + result.err
    before = snapshot(small.env, "/tmp")
    assert "P0001" in pristine("apply", "P0002", "--yes", status=4).err
    assert not differences(before, snapshot(small.env, "/tmp"))
    pristine("undo", "--yes")
    assert not differences(before, snapshot(small.env, "/tmp"))
    pristine("apply", "P0002", "--yes")
    assert small.module.read_bytes() == SOURCE


def test_swaps_raced_during_apply(pristine, small, tmp_path):
    """Somebody who owns the dumps swaps one for a link to a file of root's, all the time."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    spare = "/tmp/small_debug_spare"
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            try:
                os.symlink(victim, spare)
                os.rename(spare, DUMPS % 1)
                Path(spare).write_bytes(dumps.torch_zip())
                os.rename(spare, DUMPS % 1)
            except OSError:
                pass

    for _ in range(8):
        plan = pristine.json("plan", small.env, status=1)
        racer = threading.Thread(target=swap)
        racer.start()
        try:
            pristine("apply", plan["plan"], "--yes", status=None)
        finally:
            stop.set()
            racer.join()
            stop.clear()
        assert victim.read_bytes() == b"precious"
        assert victim.stat().st_nlink == 1
        for name in ("small_debug_spare", (DUMPS % 1).rsplit("/")[-1]):
            if os.path.islink(f"/tmp/{name}"):
                os.unlink(f"/tmp/{name}")
        pristine("undo", "--yes", status=None)


def test_names_that_no_terminal_may_see(pristine, small):
    strange = b"/tmp/small_debug_tp\xff\n\x1b[31m.pt"
    with open(strange, "wb") as file:
        file.write(dumps.torch_zip())
    dirty = snapshot(small.env, "/tmp")
    result = pristine("plan", small.env, status=1)
    assert "\x1b" not in result.out
    pristine("apply", "--yes")
    assert not os.path.exists(strange)
    pristine("undo", "--yes")
    assert not differences(dirty, snapshot(small.env, "/tmp"))
    os.unlink(strange)


def test_pattern_that_fits_anything_is_not_remembered(pristine, tmp_path):
    """The edit writes /tmp/ANYTHING.pt: nobody's file is taken for that, now or after the repair."""
    small = Small(tmp_path / "env")
    small.edit(b"    import torch\n    torch.save(y, '/tmp/%s.pt' % name)\n")
    Path("/tmp/model.pt").write_bytes(dumps.torch_zip())
    plan = pristine.json("plan", small.env, status=1)
    assert steps_of(plan, "quarantine") == []
    pristine("apply", "--yes")
    assert pristine.json("verify")["verdict"] == "clean"
    os.unlink("/tmp/model.pt")


def test_dumps_that_come_back_after_the_repair_are_known(pristine, small):
    pristine("plan", small.env, status=1)
    pristine("apply", "--yes")
    Path(DUMPS % 7).write_bytes(b"not even a dump by its content")
    (finding,) = pristine.json("check", small.env, status=1)["findings"]
    assert finding["rule"] == "orphan-artifact"
    assert [artifact["path"] for artifact in finding["artifacts"]] == [DUMPS % 7]


def test_held_open(pristine, small):
    plan = pristine.json("plan", small.env, status=1)
    before = snapshot(small.env, "/tmp")
    with open(DUMPS % 0, "ab"):
        assert DUMPS % 0 in pristine("apply", plan["plan"], "--yes", status=4).err
        assert DUMPS % 0 not in [step["path"] for step in steps_of(pristine.json("plan", small.env, status=1), "quarantine")]
    assert not differences(before, snapshot(small.env, "/tmp"))
