"""The little language the sample session is written in.

A script is a text of steps. A step begins with a marker, its kind and its arguments, and owns the lines up to
the next marker: `%% bash git status :: See what changed` with the output below it. `%%` begins a step, `%%+` a
tool call made in parallel with the one before, `>>` a step of a subagent inside a task.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LIST_ITEM = re.compile(r"(- |\d+\. |#|\||    )")


@dataclass(frozen=True)
class Step:
    """One step: its kind, what stood behind the kind, the lines below, and whether it runs in parallel."""

    kind: str
    args: str
    body: str
    parallel: bool


def parse(script: str, marker: str = "%%") -> list[Step]:
    """The steps of a script in order. Text before the first marker must be blank."""
    steps: list[Step] = []
    head, lines = "", list[str]()
    for line in [*script.splitlines(), f"{marker} end"]:
        if not line.startswith(marker):
            lines.append(line)
            continue
        if head:
            steps.append(_step(head, lines))
        elif "".join(lines).strip():
            raise ValueError(f"text before the first step: {lines}")
        head, lines = line[len(marker) :], []
    return steps


def _step(head: str, lines: list[str]) -> Step:
    kind, _, args = head.removeprefix("+").strip().partition(" ")
    return Step(kind, args.strip(), "\n".join(lines).strip("\n"), head.startswith("+"))


def flow(text: str) -> str:
    """Prose as typed: the lines of a paragraph joined, lists and fenced code left alone."""
    out: list[str] = []
    fenced = joining = False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
            out.append(line)
            joining = False
        elif fenced or not line.strip():
            out.append(line)
            joining = False
        elif joining and not LIST_ITEM.match(line):
            out[-1] += " " + line.strip()
        else:
            out.append(line)
            joining = True
    return "\n".join(out)
