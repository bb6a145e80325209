"""What commands print in the sample session, computed from the virtual work tree.

A step's authored output may hold lines that begin with `!`: the first word names a function of this module,
the rest are its arguments. `{L:path:needle}` stands for the number of the line that holds `needle`.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Callable

from sample_schedule import HARBOURS, departures_at, feed_csv
from sample_world import World, changed, commit, differing, line_of

LINE_REFERENCE = re.compile(r"\{L:([^:}]+):([^}]+)\}")
TEST = re.compile(r"^def (test_\w+)", re.MULTILINE)
WIDTH = 80
NIGHTLY_FEEDS = [
    ("winter-2025.csv", 536), ("school-2025.csv", 3_182), ("freight-2025.csv", 1_904),
    ("outer-isles.csv", 4_411), ("mailboat.csv", 867),
]  # fmt: skip


def _blob(text: str | None) -> str:
    return "0000000" if text is None else hashlib.sha1(text.encode()).hexdigest()[:7]


def _counts(before: str | None, after: str | None) -> tuple[int, int]:
    """Lines added and removed."""
    lines = list(
        difflib.unified_diff((before or "").splitlines(), (after or "").splitlines(), n=0, lineterm="")
    )
    added = sum(line.startswith("+") for line in lines[2:])
    return added, sum(line.startswith("-") for line in lines[2:])


def _uncommitted(world: World) -> list[tuple[int, int]]:
    return [_counts(world.committed.get(path), world.files.get(path)) for path in changed(world)]


def _total(counts: list[tuple[int, int]]) -> str:
    added, removed = sum(pair[0] for pair in counts), sum(pair[1] for pair in counts)
    files = f" {len(counts)} file{'s' if len(counts) > 1 else ''} changed"
    return f"{files}, {added} insertions(+)" + (f", {removed} deletions(-)" if removed else "")


def diff(world: World, args: list[str]) -> str:
    """git diff of the named paths, or of everything."""
    out: list[str] = []
    for path in changed(world):
        if args and not any(path.startswith(prefix) for prefix in args):
            continue
        before, after = world.committed.get(path), world.files.get(path)
        out += [f"diff --git a/{path} b/{path}"]
        out += ["new file mode 100644"] if before is None else []
        out += [f"index {_blob(before)}..{_blob(after)}" + ("" if before is None else " 100644")]
        old, new = (before or "").splitlines(), (after or "").splitlines()
        source = "/dev/null" if before is None else f"a/{path}"
        out += list(difflib.unified_diff(old, new, source, f"b/{path}", lineterm=""))
    return "\n".join(out)


def diffstat(world: World, _args: list[str]) -> str:
    """git diff --stat."""
    paths, counts = changed(world), _uncommitted(world)
    width = max(len(path) for path in paths)
    rows = [
        f" {path.ljust(width)} | {sum(pair):3d} {'+' * min(pair[0], 24)}{'-' * min(pair[1], 12)}"
        for path, pair in zip(paths, counts, strict=True)
    ]
    return "\n".join([*rows, _total(counts)])


def status(world: World, _args: list[str]) -> str:
    """git status --short."""
    marks = [("??" if path not in world.committed else " M", path) for path in changed(world)]
    return "\n".join(f"{mark} {path}" for mark, path in marks)


def commit_line(world: World, args: list[str]) -> str:
    """git commit: the hash is given, the counts are computed."""
    counts = _uncommitted(world)
    subject = " ".join(args[1:])
    created = [path for path in changed(world) if path not in world.committed]
    commit(world, args[0], subject)
    notes = [f" create mode 100644 {path}" for path in created]
    return "\n".join([f"[{world.branch} {args[0]}] {subject}", _total(counts), *notes])


def log(world: World, args: list[str]) -> str:
    """git log --oneline -n."""
    return "\n".join(f"{item.hash} {item.subject}" for item in world.commits[::-1][: int(args[0])])


def _tests(world: World, files: list[str]) -> dict[str, list[str]]:
    paths = [path for path in sorted(world.files) if re.match(r"tests/test_\w+\.py$", path)]
    chosen = [path for path in paths if not files or path in files]
    return {path: TEST.findall(world.files[path]) for path in chosen}


def pytest(world: World, args: list[str]) -> str:
    """A pytest run of the tests that stand in the files: -q, -v, files, and fail=<name> for each failure."""
    fails = [arg.removeprefix("fail=") for arg in args if arg.startswith("fail=")]
    files = [arg for arg in args if arg.startswith("tests/")]
    found = _tests(world, files)
    names = [(path, name) for path, tests in found.items() for name in tests]
    unknown = set(fails) - {name for _, name in names}
    if unknown:
        raise LookupError(f"no such tests: {unknown}")
    world.failed_tests = fails
    marks = ["F" if name in fails else "." for _, name in names]
    if "-q" in args:
        rows = [
            "".join(marks[at : at + 72]).ljust(72) + f" [{min(100, 100 * (at + 72) // len(marks)):3d}%]"
            for at in range(0, len(marks), 72)
        ]
    else:
        rows = _rows(found, fails, verbose="-v" in args)
        rows.insert(0, f"collected {len(names)} items\n")
        rows.insert(
            0, "platform linux -- Python 3.12.7, pytest-8.3.3, pluggy-1.5.0\nrootdir: /home/dev/skerryline"
        )
        rows.insert(0, " test session starts ".center(WIDTH, "="))
    if not fails:
        rows.append(_verdict(world, f"{len(names)} passed", quiet="-q" in args))
    return "\n".join(rows)


def _rows(found: dict[str, list[str]], fails: list[str], *, verbose: bool) -> list[str]:
    total = sum(len(tests) for tests in found.values())
    rows: list[str] = []
    done = 0
    for path, tests in found.items():
        if verbose:
            for name in tests:
                done += 1
                row = f"{path}::{name} {'FAILED' if name in fails else 'PASSED'}"
                rows.append(f"{row.ljust(WIDTH - 7)} [{100 * done // total:3d}%]")
        else:
            done += len(tests)
            row = f"{path} {''.join('F' if name in fails else '.' for name in tests)}"
            rows.append(f"{row.ljust(WIDTH - 7)} [{100 * done // total:3d}%]")
    return rows


def _verdict(world: World, counts: str, *, quiet: bool) -> str:
    text = f"{counts} in {world.dice.between(61, 148) / 100:.2f}s"
    return text if quiet else f" {text} ".center(WIDTH, "=")


def pytest_end(world: World, args: list[str]) -> str:
    """The last lines of a run with failures; the arguments are the errors' first words, one a failure."""
    files = [arg for arg in args if arg.startswith("tests/")]
    errors = " ".join(arg for arg in args if not arg.startswith("tests/")).split(" | ")
    found = _tests(world, files)
    rows = [" short test summary info ".center(WIDTH, "=")]
    for name, error in zip(world.failed_tests, errors, strict=True):
        path = next(path for path, tests in found.items() if name in tests)
        rows.append(f"FAILED {path}::{name} - {error}")
    failed = len(world.failed_tests)
    passed = sum(len(tests) for tests in found.values()) - failed
    rows.append(_verdict(world, f"{failed} failed, {passed} passed", quiet=False))
    return "\n".join(rows)


def _clock(at_ms: int) -> str:
    """Milliseconds of a day as logs write them."""
    at_s = at_ms // 1000
    return f"{at_s // 3600:02d}:{at_s // 60 % 60:02d}:{at_s % 60:02d}.{at_ms % 1000:03d}Z"


def access(world: World, args: list[str]) -> str:
    """Access log lines: count, date, first minute as HH:MM, least and greatest milliseconds."""
    count, day, start, low, high = int(args[0]), args[1], args[2], int(args[3]), int(args[4])
    dice = world.dice
    at_ms = (int(start[:2]) * 60 + int(start[3:])) * 60_000
    rows: list[str] = []
    for _ in range(count):
        at_ms += dice.between(180, 4_900)
        code = list(HARBOURS)[dice.below(len(HARBOURS))]
        took_ms = dice.between(low, high) if dice.below(5) else dice.between(1, 3)
        path = f"/departures/{code}?limit={(8, 8, 8, 20)[dice.below(4)]}"
        if dice.below(9) == 0:
            took_ms, path = dice.between(1, 2), "/health"
        host = f"staging-{dice.between(1, 2)}"
        rows.append(f"{day}T{_clock(at_ms)} {host} GET {path} 200 {took_ms}ms rid={dice.uuid()}")
    return "\n".join(rows)


def board(_world: World, args: list[str]) -> str:
    """A board as JSON: harbour, day, HH:MM, count, offset, minutes of error, and `pretty` for indented."""
    harbour, day, clock, count, offset, error = args[:6]
    minute = int(clock[:2]) * 60 + int(clock[3:])
    lines = departures_at(harbour, day, minute, int(count), offset, int(error))
    body: object = {"harbour": harbour, "departures": lines}
    return json.dumps(body, indent=4 if "pretty" in args else None)


def head(world: World, args: list[str]) -> str:
    """Lines first..last of a file."""
    lines = world.files[args[0]].splitlines()
    return "\n".join(lines[int(args[1]) - 1 : int(args[2])])


def since_start(world: World, _args: list[str]) -> str:
    """git diff --shortstat against the branch the session began on."""
    before, after = world.origin, world.files
    return _total([_counts(before.get(path), after.get(path)) for path in differing(before, after)])


def late(_world: World, args: list[str]) -> str:
    """The importer's messages for the first rows whose hour is 24 or more."""
    rows = enumerate(feed_csv().splitlines(), 1)
    bad: list[str] = []
    for number, row in rows:
        times = [text for text in row.split(",")[6:8] if text[:2].isdigit() and int(text[:2]) > 23]
        if times:
            bad.append(f"  line {number}: time data '{times[0]}' does not match format '%H:%M'")
    return "\n".join(bad[: int(args[0])]) if int(args[0]) else str(len(bad))


def nightly(world: World, args: list[str]) -> str:
    """The nightly import's log: host, date, and the number of bookkeeping lines between the feeds."""
    host, day, between = args[0], args[1], int(args[2])
    dice = world.dice
    at_ms = 3 * 3_600_000 + 30 * 60_000
    rows: list[str] = []
    for name, count in NIGHTLY_FEEDS:
        details = [
            f"DEBUG timetable.feed {name}: trip {dice.hex(4)}-{dice.between(500, 2359):04d}"
            f" has {dice.between(2, 5)} calls"
            for _ in range(between)
        ]
        head = f"INFO timetable.feed reading {name} sha256 {dice.hex(12)} {dice.between(24, 310)} kB"
        done = f"INFO timetable.feed imported {name}: {count} rows, {count * 4 // 11} sailings, 0 rejected"
        for text in [head, *details, done]:
            at_ms += dice.between(9, 420)
            rows.append(f"{day}T{_clock(at_ms)} {host} {text}")
    return "\n".join(rows)


def callers(world: World, args: list[str]) -> str:
    """How many lines call each function of a module."""
    names = re.findall(r"^def (\w+)", world.files[args[0]], re.MULTILINE)
    code = "\n".join(text for path, text in world.files.items() if path.endswith(".py"))
    return "\n".join(f"{name:<20} {len(re.findall(rf'{args[1]}[.]{name}[(]', code))}" for name in names)


FUNCTIONS: dict[str, Callable[[World, list[str]], str]] = {
    "diff": diff, "diffstat": diffstat, "status": status, "commit": commit_line, "log": log,
    "pytest": pytest, "pytest_end": pytest_end, "access": access, "board": board, "head": head,
    "since_start": since_start, "late": late, "nightly": nightly, "callers": callers,
}  # fmt: skip


def expand(world: World, text: str) -> str:
    """An authored output with its computed lines filled in."""
    out: list[str] = []
    for line in text.splitlines():
        if line.startswith("!"):
            words = line[1:].split()
            out.append(FUNCTIONS[words[0]](world, words[1:]))
        else:
            out.append(line)
    joined = "\n".join(out)
    return LINE_REFERENCE.sub(lambda found: str(line_of(world.files, found[1], found[2])), joined)
