"""What the code may not do: banned calls, goto, globals that change, output or exit below cli."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
BANNED = ROOT / "src" / "base" / "banned.h"


def compiles(tmp_path, body):
    source = tmp_path / "x.c"
    source.write_text(f"#include <string.h>\nint f(char *to, const char *from) {{ {body} return 0; }}\n")
    command = ["cc", "-D_GNU_SOURCE", "-Werror=implicit-function-declaration", "-include", str(BANNED), "-c",
               str(source), "-o", str(tmp_path / "x.o")]
    return subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.parametrize("call", ["strcpy(to, from);", "strcat(to, from);", "sprintf(to, from);", "system(from);",
                                  "popen(from, from);", "strtok(to, from);", "mktemp(to);", "atoi(from);"])
def test_banned_calls_do_not_compile(tmp_path, call):
    assert compiles(tmp_path, "(void)to; (void)from;")
    assert not compiles(tmp_path, call)


def test_every_compilation_has_the_ban():
    commands = (BUILD / "compile_commands.json").read_text()
    ours = [line for line in commands.splitlines() if '"command"' in line and "../src/" in line]
    assert len(ours) > 100
    assert all("src/base/banned.h" in line for line in ours)


def code(path):
    """Source without comments and strings."""
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', path.read_text())
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def sources(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.[ch]"))]


def test_there_is_no_goto():
    found = [str(path) for path in sources("src", "tests", "bench") if re.search(r"\bgoto\b", code(path))]
    assert not found, found


def test_only_cli_prints_and_exits():
    forbidden = re.compile(r"\b(printf|fprintf|puts|fputs|putchar|perror|exit|_exit|quick_exit|err|errx|warn|warnx)\s*\(")
    found = [f"{path.relative_to(ROOT)}: {match}" for path in sources("src") if "cli" not in path.parts
             for match in forbidden.findall(code(path))]
    assert not found, "\n".join(found)


def test_only_write_changes_files():
    """Calls that change a file system, outside fs/write*, the journal's own store and cli's -o."""
    changing = re.compile(r"\b(rename|renameat|renameat2|unlink|unlinkat|rmdir|mkdir|mkdirat|symlink|symlinkat|link|"
                          r"linkat|ftruncate|truncate|fchmod|fchmodat|fchown|fchownat|utimensat|futimens|fsetxattr|"
                          r"fremovexattr|pwrite|mknod|mknodat|mkfifo)\s*\(|\bO_CREAT\b")
    allowed = {"src/cli/output.c", "src/journal/objects.c"}
    found = [f"{path.relative_to(ROOT)}: {match}" for path in sources("src")
             if not path.name.startswith("write") and str(path.relative_to(ROOT)) not in allowed
             for match in changing.findall(code(path))]
    assert not found, "\n".join(found)


def test_no_mutable_globals_outside_cli():
    objects = sorted((BUILD / "src" / "libcore.a.p").glob("*.o"))
    assert len(objects) > 80, "build first: tools/test does"
    found = []
    for path in objects:
        table = subprocess.check_output(["objdump", "-t", path], text=True)
        for line in table.splitlines():
            section = re.search(r"\s(\.data|\.bss|\.tdata|\.tbss)(\.(?!rel\.ro)\S*)?\s+[0-9a-f]{8,}\s+(\S+)$", line)
            if section and section.group(3) != section.group(1) and "O" in line.split()[1:4]:
                found.append(f"{path.name}: {section.group(3)}")
    assert not found, "\n".join(found)
