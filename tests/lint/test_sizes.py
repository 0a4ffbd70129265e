"""Functions of at most 60 lines, files of at most 800 (the habit is 40 and 400). Tables are no functions."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FUNCTION_LINES, FILE_LINES = 60, 800


def c_files():
    for folder in ("src", "tests", "bench"):
        yield from sorted((ROOT / folder).rglob("*.[ch]"))


def functions(text):
    """(first line, lines, head) of each function: in this style its braces alone stand in the first column. A table
    inside counts as its first line."""
    start = table = None
    tables = 0
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if line == "{":
            start, table, tables = number, None, 0
        elif start is not None and line.startswith("        static const ") and line.endswith("{"):
            table = number
        elif table is not None and line.startswith("        }") and not line.endswith("{"):
            tables += number - table
            table = None
        elif line.startswith("}") and start is not None:
            yield start - 1, number - start + 1 - tables, lines[start - 2]
            start = None


def test_the_counter_counts():
    text = ("static int f(void)\n{\n        return 0;\n}\nstatic const int t[] = {\n        1,\n};\nint g(void)\n{\n"
            "        static const int t[] = {\n                1,\n        };\n}\n")
    assert [(first, size) for first, size, _ in functions(text)] == [(1, 3), (8, 3)]


def test_functions_are_short():
    long = [f"{path.relative_to(ROOT)}:{first}: {size} lines: {head}" for path in c_files()
            for first, size, head in functions(path.read_text()) if size > FUNCTION_LINES]
    assert not long, "\n".join(long)


def test_files_are_short():
    files = [*c_files(), *sorted((ROOT / "tests").rglob("*.py"))]
    assert len(files) > 100
    long = [f"{path.relative_to(ROOT)}: {count}" for path in files
            if (count := len(path.read_bytes().splitlines())) > FILE_LINES]
    assert not long, "\n".join(long)
