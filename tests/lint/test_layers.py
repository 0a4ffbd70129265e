"""The table of modules in ARCHITECTURE.md, enforced: an include that is not in it fails, and so does a cycle."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# What the two abbreviations of the table stand for.
LIBRARY = {"libc": set()}


def arrows():
    """module -> modules that it may include, from the rows `src/NAME/` of the table."""
    allowed = {}
    for name, words in re.findall(r"^\| `src/(\w+)/` \|[^|]*\| ([^|]*) \|$", (ROOT / "ARCHITECTURE.md").read_text(),
                                  re.MULTILINE):
        names = {word.strip() for word in words.split(",")}
        if "all above" in names:
            names = set(allowed)
        allowed[name] = names - {"libc"}
    return allowed


def sources():
    return sorted(path for path in SOURCE.rglob("*.[ch]"))


def includes(path):
    return INCLUDE.findall(path.read_text())


def test_every_module_is_in_the_table():
    allowed = arrows()
    assert len(allowed) >= 13
    assert {path.name for path in SOURCE.iterdir() if path.is_dir()} <= set(allowed)
    for name, names in allowed.items():
        assert names <= set(allowed), f"{name} may include what is no module: {names - set(allowed)}"


def test_includes_follow_the_table():
    allowed, wrong = arrows(), []
    for path in sources():
        module = path.relative_to(SOURCE).parts[0]
        for target in includes(path):
            other = target.split("/")[0]
            if "/" not in target or (other != module and other not in allowed[module]):
                wrong.append(f'{path.relative_to(ROOT)}: "{target}"')
    assert not wrong, "\n".join(["includes that ARCHITECTURE.md does not allow:", *wrong])


def test_tree_has_what_is_included():
    for path in sources():
        for target in includes(path):
            generated = target.endswith(".inc.h") or (SOURCE / target).with_suffix(".c.in").exists()
            assert (SOURCE / target).exists() or generated, f"{path.relative_to(ROOT)}: {target}"


def test_headers_make_no_cycle():
    graph = {str(path.relative_to(SOURCE)): includes(path) for path in sources() if path.suffix == ".h"}
    done, trail = set(), []

    def visit(header):
        assert header not in trail, " -> ".join([*trail[trail.index(header):], header])
        if header in done or header not in graph:
            return
        trail.append(header)
        for target in graph[header]:
            visit(target)
        trail.pop()
        done.add(header)

    for header in graph:
        visit(header)
