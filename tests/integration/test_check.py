"""check on a small environment: what the larger tests do not reach."""

import json
import os
import pty
import re
import subprocess
import time

import pytest

import dumps
from small import SOURCE, Small, record_row


@pytest.fixture
def small(tmp_path):
    return Small(tmp_path / "env")


def files(check):
    return check["targets"][0]["files"]


def site(small):
    return small.module.parent.parent


def test_every_way_to_name_an_environment(pristine, small):
    small.edit(b"    breakpoint()\n")
    ids = set()
    for path in (small.env, f"{small.env}/", small.env / "lib", small.env / "bin", site(small), small.module.parent,
                 small.env / "lib" / "python3.11"):
        check = pristine.json("check", path, status=1)
        assert check["targets"][0]["path"] == str(small.env)
        assert check["targets"][0]["python"] == "3.11.2"
        ids.add(check["findings"][0]["id"])
    assert len(ids) == 1
    here = pristine.json("check", ".", status=1, cwd=small.env)
    assert here["targets"][0]["path"] == str(small.env)
    (small.env.parent / "link").symlink_to(small.env)
    assert pristine.json("check", small.env.parent / "link", status=1)["targets"][0]["path"] == str(small.env)


def test_no_environment_says_what_was_looked_for(pristine, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    said = pristine("check", empty, status=2).err
    assert str(empty) in said and "pyvenv.cfg" in said and "dist-info" in said
    assert "gone" in pristine("check", tmp_path / "gone", status=2).err


def test_a_target_tree_with_an_egg(pristine, tmp_path):
    """Of an installation without RECORD what it says is its own is no stranger's, in a tree of `pip --target` too."""
    tree = tmp_path / "tree"
    for name in ("old", "old-1.egg-info", "new-1.dist-info"):
        (tree / name).mkdir(parents=True)
    (tree / "old" / "__init__.py").write_bytes(b"")
    (tree / "old-1.egg-info" / "top_level.txt").write_text("old\n")
    (tree / "new-1.dist-info" / "RECORD").write_text("new-1.dist-info/RECORD,,\n")
    pristine("check", tree, status=0)
    (tree / "stranger.py").write_bytes(b"")
    assert [finding["path"] for finding in pristine.json("check", tree, status=1)["findings"]] == [str(tree / "stranger.py")]


def test_beneath_another_root(pristine, small, tmp_path):
    """A mounted image: names are meant inside it, and so are absolute links."""
    image = tmp_path / "image"
    inside = image / "srv" / "env"
    inside.parent.mkdir(parents=True)
    os.rename(small.env, inside)
    (image / "opt").symlink_to("/srv")
    module = inside / small.module.relative_to(small.env)
    module.write_bytes(SOURCE + b"import pdb\n")
    for name in ("/srv/env", "/opt/env"):
        check = pristine.json("check", f"--root={image}", name, status=1)
        assert check["targets"][0]["path"] == "/srv/env"
        (finding,) = check["findings"]
        assert finding["path"] == f"/srv/env/{module.relative_to(inside)}" and finding["origin"]["proven"]


def test_the_second_check_trusts_stat_when_asked(pristine, small):
    """And sees every change that leaves a trace in stat data, a modification time set back included."""
    assert files(pristine.json("check", "--trust-stat", small.env))["ok"] == 4
    time.sleep(3.1)  # times of the last seconds are never believed
    pristine.json("check", "--trust-stat", small.env)
    (cache,) = (pristine.state_dir / "stat-cache").iterdir()
    kept = cache.stat()
    assert kept.st_mode & 0o777 == 0o600 and kept.st_size > 100
    pristine.json("check", "--trust-stat", small.env)
    assert cache.stat().st_ino == kept.st_ino, "nothing has changed, so nothing is to be written"
    before = small.module.stat()
    small.module.write_bytes(SOURCE.replace(b"* 2", b"* 3"))
    os.utime(small.module, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert pristine.json("check", "--trust-stat", small.env, status=1)["verdict"] == "dirty"
    small.module.write_bytes(SOURCE)
    assert pristine.json("check", "--trust-stat", small.env)["verdict"] == "clean"
    cache.write_bytes(b"rubbish")
    assert files(pristine.json("check", "--trust-stat", small.env))["ok"] == 4


def test_a_same_size_edit_in_the_second_of_the_check_is_seen(pristine, small):
    for round_ in range(20):
        pristine.json("check", "--trust-stat", small.env)
        small.module.write_bytes(SOURCE.replace(b"* 2", b"* 3"))
        assert pristine.json("check", "--trust-stat", small.env, status=1)["verdict"] == "dirty", round_
        small.module.write_bytes(SOURCE)


def test_the_vendors_own_debug_code_is_a_note_with_v(pristine, tmp_path):
    source = b"import torch\n\n\ndef dump(x):\n    torch.save(x, '/tmp/vendor_tp0.pt')\n"
    small = Small(tmp_path / "env", source=source)
    assert pristine.json("check", small.env)["findings"] == []
    check = pristine.json("-v", "check", small.env)
    (finding,) = check["findings"]
    assert finding["rule"] == "vendor-debug-code" and finding["severity"] == "note" and finding["hunks"] == []
    assert finding["suspects"][0]["function"] == "dump" and "tensor-dump" in finding["suspects"][0]["labels"]
    assert check["verdict"] == "clean" and finding["artifacts"] == []


def test_many_edited_files_at_once(pristine, tmp_path):
    """Looked into side by side; the report does not depend on the number of threads."""
    small = Small(tmp_path / "env")
    rows = []
    for number in range(30):
        path = small.module.parent / f"m{number}.py"
        path.write_bytes(SOURCE + b"import pdb\n" * (number % 3 + 1))
        rows.append(record_row(f"pkg/m{number}.py", SOURCE))
    record = site(small) / "pkg-1.0.dist-info" / "RECORD"
    record.write_text(record.read_text() + "".join(rows))
    os.utime(record, (1_700_000_000, 1_700_000_000))
    one, many = (pristine.json("--jobs", jobs, "check", small.env, status=1)["findings"] for jobs in ("1", "7"))
    assert one == many and len(one) == 30
    assert all(finding["origin"]["proven"] and len(finding["hunks"]) == 1 for finding in one)


def test_a_deadline_ends_in_good_order(pristine, small):
    big = small.module.parent / "big.bin"
    with open(big, "wb") as file:
        file.truncate(40 << 30)  # sparse: reading it takes many seconds
    record = site(small) / "pkg-1.0.dist-info" / "RECORD"
    record.write_text(record.read_text() + f"pkg/big.bin,sha256={'A' * 43},{40 << 30}\n")
    start = time.monotonic()
    check = pristine.json("check", "--deadline=1", small.env, status=3)
    assert time.monotonic() - start < 5
    assert check["verdict"] == "unknown" and files(check)["ok"] == 4
    assert any("not looked at" in unknown["why"] for unknown in check["unknown"])


def terminal(pristine, *arguments, until=b"", interrupt=False):
    """What a person sees: both streams on a terminal of 80 columns; gives (status, text)."""
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen([pristine.program, f"--state-dir={pristine.state_dir}", *map(str, arguments)],
                               stdin=child, stdout=child, stderr=child, env=environment, start_new_session=True)
    os.close(child)
    seen, sent = b"", False
    while True:
        try:
            data = os.read(parent, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
        if interrupt and not sent and until in seen:
            process.send_signal(2)
            sent = True
    os.close(parent)
    return process.wait(timeout=30), seen.decode()


def test_code_is_judged_ahead_of_binaries_and_ctrl_c_tells_the_truth(pristine, small):
    small.edit(b"    breakpoint()\n")
    big = small.module.parent / "big.so"
    with open(big, "wb") as file:
        file.truncate(40 << 30)
    record = site(small) / "pkg-1.0.dist-info" / "RECORD"
    record.write_text(record.read_text() + f"pkg/big.so,sha256={'A' * 43},{40 << 30}\n")
    os.utime(record, (1_700_000_000, 1_700_000_000))
    status, seen = terminal(pristine, "check", small.env, until=b"hashing binaries", interrupt=True)
    assert status in (1, 3)
    assert re.search(r"the code is judged after \d+\.\d\d s: 1 finding", seen), seen
    assert "file-modified  lib/python3.11/site-packages/pkg/m.py" in seen
    assert "stopping in good order" in seen
    assert "big.so" not in seen.split("stopping")[1] or "not looked at" in seen


def test_unknown_targets_of_later_versions_are_refused(pristine):
    for target in ("pid:1", "http://localhost:8000"):
        assert "this version" in pristine("check", target, status=2).err


def test_json_has_what_the_contract_names(pristine, small):
    small.debug("/tmp/contract_tp%d.pt")
    with open("/tmp/contract_tp0.pt", "wb") as file:
        file.write(dumps.torch_zip())
    shown = pristine("check", small.env, "--format=json", status=1)
    os.unlink("/tmp/contract_tp0.pt")
    check = json.loads(shown.out)
    assert check["schema"] == "pristine.check/1" and {"version", "host", "started", "seconds"} <= check.keys()
    target = check["targets"][0]
    assert {"kind", "path", "python", "installers", "distributions", "files"} <= target.keys()
    assert {"ok", "modified", "missing", "clobbered", "unowned", "unverifiable", "malformed", "stale_bytecode",
            "unreadable"} <= target["files"].keys()
    (finding,) = check["findings"]
    assert {"id", "rule", "severity", "summary", "path", "distribution", "origin", "hunks", "artifacts", "status",
            "loaded_by", "accepted", "next"} <= finding.keys()
    (hunk,) = finding["hunks"]
    assert {"id", "change", "first_line", "last_line", "original_line", "text", "function", "labels", "trigger", "one_shot",
            "cadence", "writes", "logs"} <= hunk.keys()
    assert hunk["writes"] == ["/tmp/contract_tp*.pt"]
    (artifact,) = finding["artifacts"]
    assert artifact["path"] == "/tmp/contract_tp0.pt" and artifact["rank"] == {"tp": 0}
