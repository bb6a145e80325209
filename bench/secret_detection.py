"""What `redaction` finds of invented secrets, what it takes for one that is none, and how long it takes.

    python bench/secret_detection.py [FOLDER]

Every file of the folder is searched too, and each place that is found there is printed with what stands around it, so
that a person can judge it. The last figures compare the time with that of ten lines that know vendors' prefixes alone.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.secret_specimens import KNOWN, LOOKALIKES, Frame, told
from bench.secret_unseen import UNSEEN, UNSEEN_LOOKALIKES
from palimpsest.redaction.detector import find_secrets
from palimpsest.redaction.redactor import placeholder, redact

AROUND_CHARS = 60
SIMPLEST = re.compile(r"\b(?:sk-|gh[pousr]_|glpat-|AKIA|AIza|xox[bp]-|hf_|npm_|eyJ)[\w.-]{16,200}")


def main(folder: str = "") -> None:
    for name, frames in (("known", KNOWN), ("unseen", UNSEEN)):
        missed, loose = missing(frames)
        print(f"{name}: {len(frames) - len(missed)} of {len(frames)} found, {len(loose)} of them not exactly")
        for one in (*missed, *loose):
            print(f"  {'missed' if one in missed else 'loose'} {one}: {redact(told(frames[one])[0])!r}")
    for name, lines in (("lookalikes", LOOKALIKES), ("unseen lookalikes", UNSEEN_LOOKALIKES)):
        wrong = [line for line in lines if redact(line) != line]
        print(f"{name}: {len(wrong)} of {len(lines)} changed")
        for line in wrong:
            print(f"  {line!r}\n    {redact(line)!r}")
    texts = {path: path.read_text("utf-8", "replace") for path in files(folder)}
    for path, text in texts.items():
        for start, end in spans(text):
            around = text[max(0, start - AROUND_CHARS) : start], text[start:end][:80], text[end : end + 20]
            print(f"  {path.name}: {around[0]!r} >>> {around[1]!r} <<< {around[2]!r}")
    if texts:
        whole = "\n".join(texts.values())
        for name, search in (("ours", spans), ("prefixes", lambda text: [*SIMPLEST.finditer(text)])):
            print(f"{name}: {seconds(search, whole) / len(whole) * 1e6:.3f} s for each MB")


def missing(frames: Mapping[str, Frame]) -> tuple[list[str], list[str]]:
    """The specimens whose secret is left, and those of which more or less than the secret is replaced."""
    missed: list[str] = []
    loose: list[str] = []
    for name, frame in frames.items():
        text, secret = told(frame)
        shown = redact(text)
        if secret in shown or shown == text:
            missed.append(name)
        elif shown != text.replace(secret, placeholder(secret)):
            loose.append(name)
    return missed, loose


def files(folder: str) -> Iterator[Path]:
    paths = sorted(Path(folder).rglob("*")) if folder else []
    return (path for path in paths if path.is_file())


def spans(text: str) -> list[tuple[int, int]]:
    steps = find_secrets(text)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def seconds(search: Callable[[str], object], text: str) -> float:
    began_s = time.perf_counter()
    search(text)
    return time.perf_counter() - began_s


if __name__ == "__main__":
    main(*sys.argv[1:2])
