"""Original bytes from wheels and caches: what no removal of lines gives back."""

import http.server
import os
import shutil
import subprocess
import threading
import zipfile
from pathlib import Path

import pytest

from environments import clean_environ, make_venv, make_wheel, pip_install, run, site_packages
from tree import differences, snapshot

MODULE = "".join(f"def f{number}(x):\n    y = x * {number}\n    return y\n\n\n" for number in range(200))
FILES = {"subject/__init__.py": "", "subject/model.py": MODULE, "subject/data.bin": "\0" * 5000 + "data"}


@pytest.fixture(autouse=True)
def no_strangers(monkeypatch, tmp_path):
    """No cache and no home of this machine decides a result."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "no-uv"))
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "no-pip"))
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    (tmp_path / "home").mkdir()


@pytest.fixture
def wheel(tmp_path):
    (tmp_path / "wheels").mkdir()
    make_wheel(tmp_path / "wheels", "subject", FILES)
    return next((tmp_path / "wheels").glob("*.whl"))


@pytest.fixture
def env(tmp_path, wheel):
    env = make_venv(tmp_path / "env")
    pip_install(env, "--no-deps", "--no-index", "--find-links", wheel.parent, "subject")  # by name: no direct_url.json
    old = 1_700_000_000
    for path in site_packages(env).rglob("*"):
        os.utime(path, (old, old))
    return env


def replace_lines(path):
    """Lines replaced and lines added: line removal alone gives nothing back."""
    text = path.read_text().replace("y = x * 7\n", "y = x * 8\n").replace("    return y\n", "    breakpoint()\n    return y\n", 1)
    path.write_text(text)


def finding_at(check, path):
    return next(finding for finding in check["findings"] if finding["path"] == str(path))


def test_a_wheel_named_proves_and_restores(pristine, env, wheel):
    module = site_packages(env) / "subject/model.py"
    original = module.read_bytes()
    replace_lines(module)
    dirty = snapshot(env)
    alone = finding_at(pristine.json("check", env, status=1), module)
    assert not alone["origin"]["proven"] and alone["hunks"] == []
    assert not any(option["possible"] for option in pristine.json("plan", env, status=1)["options"])
    finding = finding_at(pristine.json("check", "--wheel", wheel, env, status=1), module)
    assert finding["origin"]["source"] == "wheel" and finding["origin"]["proven"]
    assert finding["origin"]["anchor"] == "archive"
    assert {hunk["change"] for hunk in finding["hunks"]} == {"insert", "replace"}
    assert "debugger" in sum((hunk["labels"] for hunk in finding["hunks"]), [])
    plan = pristine.json("plan", "--find-links", wheel.parent, env, status=1)
    assert plan["recommended"] == "restore"
    restore = next(option for option in plan["options"] if option["name"] == "restore")
    assert restore["possible"] and restore["proof"] == "sha256 equals RECORD"
    assert any(str(wheel.parent) in sentence for sentence in plan["searched"])
    pristine.json("apply", "--yes")
    assert module.read_bytes() == original
    pristine("verify")
    assert pristine.json("check", env)["verdict"] == "clean"
    pristine("undo", "--yes")
    assert not differences(dirty, snapshot(env))


def test_binaries_are_restored(pristine, env, wheel):
    data = site_packages(env) / "subject/data.bin"
    original = data.read_bytes()
    data.write_bytes(original[:-1] + b"X")
    plan = pristine.json("plan", "--wheel", wheel, env, status=1)
    assert plan["recommended"] == "restore"
    pristine("apply", "--yes")
    assert data.read_bytes() == original


def test_files_that_are_gone_come_back(pristine, env, wheel):
    site = site_packages(env)
    gone = [site / "subject/model.py", site / "subject/data.bin"]
    original = {path: path.read_bytes() for path in gone}
    for path in gone:
        path.unlink()
    dirty = snapshot(env)
    assert not any(option["possible"] for option in pristine.json("plan", env, status=1)["options"])
    plan = pristine.json("plan", "--wheel", wheel, env, status=1)
    assert plan["recommended"] == "restore"
    steps = next(option for option in plan["options"] if option["name"] == "restore")["steps"]
    assert [step["op"] for step in steps if step["before"] is None and step["path"]] == ["replace-file"] * 2
    pristine.json("apply", "--yes")
    assert {path: path.read_bytes() for path in gone} == original
    assert gone[0].stat().st_mode & 0o777 == 0o644
    assert pristine.json("check", env)["verdict"] == "clean"
    pristine("undo", "--yes")
    assert not differences(dirty, snapshot(env))
    gone[0].write_text("somebody else was faster\n")
    assert "stands there again" in pristine("apply", "--yes", status=4).err
    assert gone[0].read_text() == "somebody else was faster\n" and not gone[1].exists()


def test_surgery_and_restoration_side_by_side(pristine, env, wheel):
    """One file with added lines, one with replaced ones: surgical takes the first, restore both."""
    module, init = site_packages(env) / "subject/model.py", site_packages(env) / "subject/__init__.py"
    replace_lines(module)
    init.write_text("import pdb\n")
    plan = pristine.json("plan", "--wheel", wheel, env, status=1)
    files = {option["name"]: option["files"] for option in plan["options"]}
    assert files["surgical"] == 1 and files["restore"] == 2 and plan["recommended"] == "restore"
    pristine.json("apply", "--option=surgical", "--yes", status=None)
    assert init.read_text() == "" and module.read_text() != MODULE
    pristine("undo", "--yes")
    pristine.json("apply", "--yes")
    assert module.read_text() == MODULE and init.read_text() == ""


@pytest.mark.parametrize("place", ["home", "/tmp"])
def test_wheels_lying_about_are_found(pristine, env, wheel, tmp_path, place):
    module = site_packages(env) / "subject/model.py"
    replace_lines(module)
    there = Path("/tmp" if place == "/tmp" else tmp_path / "home") / wheel.name
    shutil.copy(wheel, there)
    finding = finding_at(pristine.json("check", env, status=1), module)
    there.unlink()
    assert finding["origin"]["source"] == "wheel" and str(there) in finding["origin"]["note"]


@pytest.mark.parametrize("how", ["variable", "configuration", "direct"])
def test_what_installers_are_told_is_known(pristine, env, wheel, tmp_path, monkeypatch, how):
    """find-links of pip's variable and configuration; a wheel that was installed from a path."""
    module = site_packages(env) / "subject/model.py"
    there = tmp_path / "a place"
    there.mkdir()
    info = next(site_packages(env).glob("subject*.dist-info"))
    shutil.move(wheel, there / wheel.name)
    if how == "variable":
        monkeypatch.setenv("PIP_FIND_LINKS", f"https://example.invalid/wheels file://{tmp_path}/links")
        (tmp_path / "links").symlink_to(there)
    elif how == "configuration":
        (env / "pip.conf").write_text(f"[global]\ntimeout = 3\nfind-links =\n    https://example.invalid\n    {tmp_path}/links\n")
        (tmp_path / "links").symlink_to(there)
    else:
        (info / "direct_url.json").write_text(f'{{"url": "file://{tmp_path}/a%20place/{wheel.name}", "archive_info": {{}}}}')
    replace_lines(module)
    finding = finding_at(pristine.json("check", env, status=1), module)
    assert finding["origin"]["proven"] and wheel.name in finding["origin"]["note"]


def test_only_the_right_bytes_are_taken(pristine, env, wheel, tmp_path):
    """A wheel of the same name and version with other bytes, a broken one, and one of another distribution."""
    module = site_packages(env) / "subject/model.py"
    replace_lines(module)
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    make_wheel(wrong, "subject", {**FILES, "subject/model.py": MODULE.replace("* 9\n", "* 10\n")})
    make_wheel(wrong, "stranger", {"subject/model.py": MODULE})
    (wrong / "broken-1.0-py3-none-any.whl").write_bytes(wheel.read_bytes()[:500])
    os.mkfifo(wrong / "fifo-1.0-py3-none-any.whl")
    (wrong / "link-1.0-py3-none-any.whl").symlink_to(wheel)
    check = pristine.json("check", "--find-links", wrong, env, status=1, timeout=20)
    assert not finding_at(check, module)["origin"]["proven"]


def test_hostile_archives(pristine, env, wheel, tmp_path):
    """Members that claim to be huge, that lie outside, whose sizes lie: no crash, and nothing taken."""
    module = site_packages(env) / "subject/model.py"
    replace_lines(module)
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    content = wheel.read_bytes()
    for number, (what, by) in enumerate([(b"PK\x01\x02", b"PK\x01\x03"), (b"PK\x03\x04", b"PK\x03\x05")]):
        (hostile / f"h{number}-1-py3-none-any.whl").write_bytes(content.replace(what, by))
    with zipfile.ZipFile(hostile / "bomb-1-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("subject-1.0.dist-info/RECORD", "")
        archive.writestr("subject/model.py", b"\0" * (300 << 20))
        archive.writestr("../../../../etc/passwd", "x")
    check = pristine.json("check", "--find-links", hostile, env, status=1, timeout=60)
    assert not finding_at(check, module)["origin"]["proven"]


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    return pip_install(make_venv(tmp_path_factory.mktemp("uv") / "env"), "uv==0.13.9")


def test_uvs_cache(pristine, tools, tmp_path, monkeypatch, wheel):
    cache, env = tmp_path / "uv-cache", tmp_path / "uv-env"
    monkeypatch.setenv("UV_CACHE_DIR", str(cache))
    uv = tools / "bin" / "uv"
    run(uv, "-q", "venv", env, UV_CACHE_DIR=str(cache))
    run(uv, "-q", "pip", "install", "--python", env, "--link-mode", "copy", "--no-deps", wheel, UV_CACHE_DIR=str(cache))
    module = site_packages(env) / "subject/model.py"
    os.utime(next(site_packages(env).glob("subject*.dist-info/RECORD")), (1_700_000_000, 1_700_000_000))
    replace_lines(module)
    finding = finding_at(pristine.json("check", env, status=1), module)
    assert finding["origin"] == {**finding["origin"], "source": "uv-cache", "proven": True, "anchor": "archive"}
    pristine.json("plan", env, status=1)
    pristine("apply", "--yes")
    assert module.read_text() == MODULE


class Index(http.server.BaseHTTPRequestHandler):
    """A package index of one project, whose answers may be cached."""

    def do_GET(self):
        wheel = self.server.wheel
        body = wheel.read_bytes() if self.path.endswith(".whl") else f'<a href="/{wheel.name}">{wheel.name}</a>'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream" if self.path.endswith(".whl") else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600")
        self.send_header("ETag", '"one"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


@pytest.fixture
def index(wheel):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    server.wheel = wheel
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/simple"
    server.shutdown()
    thread.join()
    server.server_close()


def test_pips_cache(pristine, index, wheel, tmp_path, monkeypatch):
    """A real download through a pip that keeps bodies in files of their own (23.3 and later)."""
    cache = tmp_path / "pip-cache"
    monkeypatch.setenv("PIP_CACHE_DIR", str(cache))
    env = make_venv(tmp_path / "pip-env")
    pip_install(env, "pip==25.3")
    clean = {key: value for key, value in clean_environ().items() if not key.startswith("PIP_")}
    subprocess.run([env / "bin" / "python", "-m", "pip", "install", "-q", "--no-deps", "--trusted-host", "127.0.0.1",
                    "--index-url", index, "subject"], check=True, timeout=120,
                   env={**clean, "PIP_CACHE_DIR": str(cache), "PIP_CONFIG_FILE": os.devnull})
    assert list(cache.glob("http*/**/*.body")), "this pip keeps no bodies"
    wheel.unlink()
    module = site_packages(env) / "subject/model.py"
    os.utime(next(site_packages(env).glob("subject*.dist-info/RECORD")), (1_700_000_000, 1_700_000_000))
    replace_lines(module)
    finding = finding_at(pristine.json("check", env, status=1), module)
    assert finding["origin"]["source"] == "pip-cache" and finding["origin"]["proven"]
    pristine.json("plan", env, status=1)
    pristine("apply", "--yes")
    assert module.read_text() == MODULE
