"""Whether the checks of a model's summary leave true ones as they are, and find the errors that are planted in them.

    python bench/faithful.py DATA [--errors 200] [--shown 20] [--json]

DATA is a folder of real sessions; `bench/faithful` holds true summaries of stretches of them. Each summary goes the way
of a model's reply: it is the answer to the request for a summary of its stretch. Printed are

- of the true summaries: the lines that are lost or changed, and how many calls more than one were made;
- of the planted errors, by kind: how many are put right (the line is the true one again), and how many are marked.

An error is one string of one line. Of the kinds that can be put right it is a slip in a path, a name, a hash or a link
of 8 characters or more, or a path without one of its folders; of the others another folder in a path, a number, a
version, a name or a path that the session does not have. A string
that happens to stand in the session is not planted. Draws are seeded.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from faithful_leaves import Faithful, faithful, leaf
from faithful_reply import MARK, replied

from palimpsest.record.message import Message, readable_text

SLIPS = ("path", "folder", "name", "hash", "link")
"""Kinds of errors that can be put right."""
OTHERS = ("other folder", "number", "version", "new name", "new path")
"""Kinds that are marked. A path in another folder may be a new file: it is put right where its name is telling."""
MIN_CHARS = 8
TRIES = 60
_PATH = re.compile(r"(?<![\w/.~})>\]-])[\w.~@-]*/[\w./@-]*\w\.\w{1,5}\b")
_NAME = re.compile(
    r"(?<![\w/.\\-])(?=\w{8,40}(?![\w/\\-]))(?:[a-z]+(?:[A-Z][a-z0-9]+)+|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)"
)
_HASH = re.compile(
    r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,40}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
)
_LINK = re.compile(r"https?://[\w./%?=&#:-]{8,}\w(?![\w=~+*@!$%&/.?#:-])")
_NUMBER = re.compile(r"(?<![\w.,/:#-])\d{3,6}(?![\w,]|[.:/-]\d)")
_VERSION = re.compile(r"(?<![\w./-])v?\d+\.\d+\.\d+(?![\w.])")


@dataclass(frozen=True, slots=True)
class Planted:
    """One error: the summary with it, its line, and what stands there instead of what."""

    kind: str
    summary: Faithful
    text: str
    line: int
    true: str
    false: str


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--errors", type=int, default=200)
    parser.add_argument(
        "--shown", type=int, default=0, help="print so many lines that were changed or missed"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report = measured(given.data, errors=given.errors)
    if given.json:
        print(json.dumps(report.as_dict(), indent=2))
        return
    print("\n".join(report.printed()))
    for line in report.shown[: given.shown]:
        print("  ", line)


@dataclass
class Report:
    """What was measured. `lines_changed` counts true lines that are not in the result as they were."""

    summaries: int
    lines: int
    lines_changed: int
    more_calls: int
    refused: int
    planted: Counter[str]
    right: Counter[str]
    marked: Counter[str]
    shown: list[str]

    def share(self, found: Counter[str], kinds: Sequence[str]) -> float:
        """Of the errors of these kinds, the share that was found."""
        return sum(found[kind] for kind in kinds) / max(1, sum(self.planted[kind] for kind in kinds))

    def as_dict(self) -> dict[str, object]:
        return {
            "summaries": self.summaries,
            "lines": self.lines,
            "lines_changed": self.lines_changed,
            "more_calls": self.more_calls,
            "refused": self.refused,
            "put_right": round(self.share(self.right, SLIPS), 3),
            "marked": round(self.share(self.marked + self.right, OTHERS), 3),
            "kinds": {
                kind: [self.planted[kind], self.right[kind], self.marked[kind]] for kind in (*SLIPS, *OTHERS)
            },
        }

    def _kinds(self) -> Iterator[str]:
        for kind in (*SLIPS, *OTHERS):
            yield f"  {kind:12} {self.planted[kind]:5} {self.right[kind]:10} {self.marked[kind]:8}"

    def printed(self) -> Iterator[str]:
        """The report as lines of text."""
        yield f"true summaries: {self.summaries}, lines: {self.lines}"
        yield f"  lost or changed: {self.lines_changed} ({self.lines_changed / max(1, self.lines):.1%})"
        yield f"  calls more than one: {self.more_calls}, not taken: {self.refused}"
        yield f"planted errors: {self.planted.total()}"
        yield f"  {'kind':12} {'':>5} {'put right':>10} {'marked':>8}"
        yield from self._kinds()
        yield f"  put right, of the kinds that can be: {self.share(self.right, SLIPS):.1%}"
        yield f"  marked or put right, of the others: {self.share(self.marked + self.right, OTHERS):.1%}"


def measured(data: Path, *, errors: int = 200, seed: int = 7, folder: Path | None = None) -> Report:
    """Hold the true summaries, and as many errors as there are to plant, against the sessions in `data`."""
    given = faithful(folder) if folder else faithful()
    leaves = {one.name: leaf(data, one.session, one.first, one.last) for one in given}
    report = Report(len(given), 0, 0, 0, 0, Counter(), Counter(), Counter(), [])
    for one in given:
        _hold_true(one, leaves[one.name], report)
    for error in planted(given, leaves, errors, seed):
        _hold_false(error, leaves[error.summary.name], report)
    return report


def _hold_true(one: Faithful, messages: Sequence[Message], report: Report) -> None:
    reply = replied(one.text, messages, one.form)
    left = Counter(line.strip() for line in reply.text.splitlines())
    report.more_calls += reply.calls - 1
    report.refused += not reply.taken
    for line in one.text.splitlines():
        if line.strip():
            report.lines += 1
            if left[line.strip()]:
                left[line.strip()] -= 1
            else:
                report.lines_changed += 1
                report.shown.append(f"{one.name}: changed: {line.strip()[:160]}  {reply.notes}")


def _hold_false(error: Planted, messages: Sequence[Message], report: Report) -> None:
    reply = replied(error.text, messages, error.summary.form)
    report.planted[error.kind] += 1
    lines = [line.strip() for line in reply.text.replace(MARK, "").splitlines()]
    true = error.summary.text.splitlines()[error.line].strip()
    named = any(error.false in note for note in reply.notes)
    if true in lines and error.false not in reply.text:
        report.right[error.kind] += 1
    elif any(error.false in line and MARK in line for line in reply.text.splitlines()) and named:
        report.marked[error.kind] += 1
    else:
        report.shown.append(
            f"{error.kind}: {error.true} -> {error.false} in {error.summary.name}: {reply.notes}"
        )


def planted(
    given: Sequence[Faithful], leaves: dict[str, tuple[Message, ...]], errors: int, seed: int
) -> list[Planted]:
    """Errors of every kind, as evenly as the summaries allow."""
    draw = random.Random(seed)
    found: dict[str, list[Planted]] = defaultdict(list)
    for one in given:
        source = "\n".join(map(readable_text, leaves[one.name]))
        for error in (*_in_lines(one, source, draw), *_in_a_line_more(one, source, draw)):
            found[error.kind].append(error)
    for ones in found.values():
        draw.shuffle(ones)
    taken: list[Planted] = []
    while len(taken) < errors and any(found.values()):
        for kind in KINDS:
            if found[kind] and len(taken) < errors:
                taken.append(found[kind].pop())
    return taken


def _in_lines(one: Faithful, source: str, draw: random.Random) -> Iterator[Planted]:
    """Errors in place of strings that a summary has."""
    for at, line in enumerate(one.text.splitlines()):
        for kind, (pattern, change) in KINDS.items():
            for match in pattern.finditer(line):
                if match[0] not in source or (kind in SLIPS and len(match[0]) < MIN_CHARS):
                    continue
                if new := _drawn(match[0], change, source + one.text, draw):
                    lines = one.text.splitlines()
                    lines[at] = f"{line[: match.start()]}{new}{line[match.end() :]}"
                    yield Planted(kind, one, "\n".join(lines), at, match[0], new)


def _in_a_line_more(one: Faithful, source: str, draw: random.Random) -> Iterator[Planted]:
    """Errors in a line of its own, of kinds of which few summaries have a string."""
    for kind in ("hash", "link"):
        pattern, change = KINDS[kind]
        for true in sorted({match[0] for match in pattern.finditer(source)}):
            if new := _drawn(true, change, source + one.text, draw):
                with_true = replace(one, text=f"{one.text.rstrip()}\n- `{true}`")
                at = len(with_true.text.splitlines()) - 1
                yield Planted(kind, with_true, f"{one.text.rstrip()}\n- `{new}`", at, true, new)


Change = Callable[[str, random.Random], str]


def _drawn(true: str, change: Change, text: str, draw: random.Random) -> str:
    for _ in range(TRIES):
        new = change(true, draw)
        if new and new not in text:
            return new
    return ""


def _slip(text: str, draw: random.Random) -> str:
    """A character changed, left out, doubled, or exchanged with the next: in the second half of a string."""
    places = [
        at for at in range(len(text) // 3, len(text) - 1) if text[at].isalnum() and text[at + 1].isalnum()
    ]
    if not places:
        return ""
    at = draw.choice(places)
    sign = text[at]
    pool = "0123456789abcdef" if sign.isdigit() else "abcdefghijklmnopqrstuvwxyz"
    other = draw.choice([one for one in pool if one != sign.lower()])
    return draw.choice(
        [
            text[:at] + other + text[at + 1 :],
            text[:at] + text[at + 1 :],
            text[: at + 1] + sign + text[at + 1 :],
            text[:at] + text[at + 1] + sign + text[at + 2 :],
        ]
    )


def _hash_slip(text: str, draw: random.Random) -> str:
    at = draw.randrange(2, len(text))
    if text[at] == "-":
        return ""
    return text[:at] + draw.choice([one for one in "0123456789abcdef" if one != text[at]]) + text[at + 1 :]


def _without_folder(text: str, draw: random.Random) -> str:
    """A path with one of its folders left out."""
    parts = text.split("/")
    inner = [at for at in range(1, len(parts) - 1) if parts[at] not in ("", ".", "..")]
    if not inner or "://" in text:
        return ""
    at = draw.choice(inner)
    return "/".join((*parts[:at], *parts[at + 1 :]))


def _other_folder(text: str, draw: random.Random) -> str:
    """A path with another one in place of one of its folders."""
    parts = text.split("/")
    inner = [at for at in range(1, len(parts) - 1) if parts[at] not in ("", ".", "..")]
    if not inner or "://" in text:
        return ""
    at = draw.choice(inner)
    return "/".join((*parts[:at], draw.choice(("internal", "common", "legacy", "shared")), *parts[at + 1 :]))


def _number(text: str, draw: random.Random) -> str:
    at = draw.randrange(len(text))
    digit = draw.choice([one for one in "123456789" if one != text[at]])
    return text[:at] + digit + text[at + 1 :]


def _version(text: str, draw: random.Random) -> str:
    parts = text.split(".")
    at = draw.randrange(1, len(parts))
    parts[at] = str(int(parts[at]) + draw.randrange(1, 9))
    return ".".join(parts)


def _new_name(text: str, draw: random.Random) -> str:
    words = draw.sample(("retry", "ledger", "quota", "billing", "tenant", "webhook", "parcel", "orchid"), 3)
    return "_".join(words) if "_" in text else words[0] + "".join(word.capitalize() for word in words[1:])


def _new_path(text: str, draw: random.Random) -> str:
    words = draw.sample(("orchid", "parcel", "harbor", "quota", "tenant", "meadow"), 3)
    return f"{words[0]}/{words[1]}/{words[2]}_{draw.randrange(10, 99)}.{text.rpartition('.')[2]}"


KINDS: dict[str, tuple[re.Pattern[str], Change]] = {
    "path": (_PATH, _slip),
    "folder": (_PATH, _without_folder),
    "other folder": (_PATH, _other_folder),
    "name": (_NAME, _slip),
    "hash": (_HASH, _hash_slip),
    "link": (_LINK, _slip),
    "number": (_NUMBER, _number),
    "version": (_VERSION, _version),
    "new name": (_NAME, _new_name),
    "new path": (_PATH, _new_path),
}


if __name__ == "__main__":
    main()
