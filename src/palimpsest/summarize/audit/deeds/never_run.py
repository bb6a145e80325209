"""Whether a command that is told with an outcome was run, and a check that is said to pass was made.

- The words of the command stand together somewhere in the source, and not only in an order, a plan or a rule.
- Of the check a call, a result or somebody tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.audit.deeds.contradictions import ASKED
from palimpsest.summarize.audit.told import LOOK_CHARS, WISHED
from palimpsest.summarize.facts import Facts
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.sentences import sentences
from palimpsest.summarize.source import Source

_ENDED = later(r"`([^`\n]{2,300})`\s{0,3}(?:->|→|=>)")
_CHAIN = later(r"&&|\|\|?|;")
_WORDS = later(r"(?<![\w./-])[A-Za-z][A-Za-z_]{1,40}(?![\w./-])")
"""The program of a command and what it is told to do; no options and no paths."""
_CHECK_PASSES = later(
    r"\b(?P<kind>lint|linter|linting|type[ -]?check\w*|build)\b(?: (?:check|run|job|step|suite)s?)?"
    r"(?: (?:now|also|all|still))? (?:pass(?:es|ed)?|(?:is|was|are|runs?|ran|came back) (?:now |all )?"
    r"(?:clean|green|passing|ok|successful))\b",
    re.IGNORECASE,
)
_LINTERS = later(
    r"lint|ruff|flake8|clippy|biome|prettier|checkstyle|rubocop|stylelint|vet\b|shellcheck|black|(?:make|run) check",
    re.I,
)
_TYPES = later(
    r"type[ -]?check|mypy|pyright|\btsc\b|\bty\b|pyre\b|flow\b|sorbet|typing|(?:make|run) check|build", re.I
)
_BUILDS = later(
    r"build|compil|\bmake\b|\btsc\b|webpack|vite|rollup|cargo|gradle|\bmvn\b|maven|cmake|ninja|bazel|docker|"
    r"\bgo (?:run|test|vet)|xcode|\bgcc|clang|javac|dotnet|swift|\bnext\b",
    re.I,
)
_ORDERS = later(
    r"(?:^|[.!?]\s|\b(?:and|then|please|always|never|must|should|to|bitte|immer|before you|after you)\s)"
    r"(?:please |always |never |also |first |then |bitte |immer )*"
    r"(?:run|use|call|execute|do|start|try|make sure|check|führe|nutze|benutze|verwende)\b|"
    r"\b(?:before|after|whenever|until|always|never|must|should|shall|will|'ll|going to|let me|let's|next|plan\w*|"
    r"want\w*|need\w*|would|could|can you|bevor|immer|soll\w*|muss)\b|"
    r"总是|必须|请|之前|运行一下",
    re.IGNORECASE,
)
"""How somebody speaks of what is yet to be run."""
_RAN = later(
    r"\b(?:ran|pass(?:ed|es)|ok|succe\w+|fail\w*|exit\w*|work(?:s|ed)|green|clean|done|lief|bestanden|erfolgreich)\b|"
    r"通过|成功|失败",
    re.IGNORECASE,
)
_RULED = later(
    r"\b(?:always|never|must|should|make sure|ensure|until|please|whenever|if|will|'ll|immer|bitte|soll\w*)\b|"
    r"必须|总是|请",
    re.IGNORECASE,
)


def never_run(text: str, facts: Facts, source: Source) -> Iterator[tuple[str, str]]:
    """Lines that tell the outcome of a command of which no call, result, message or summary has all words; and those
    that have a check pass of which none of them tells.
    """
    texts: list[str] = []
    body = [(heading, line) for heading, lines in FORMS["sections"].parse(text) for line in lines]
    for heading, line in body:
        runs = _ENDED.findall(line) if heading not in ASKED and "…" not in line else ()
        checks = _checked(line) if heading not in ASKED else []
        if not runs and not checks:
            continue
        texts = texts or [*facts.get("Commands", ()), *_texts(source)]
        parts = [_WORDS.findall(part) for run in runs for part in _CHAIN.split(run)]
        if not all(any(all(word in one for word in part) for one in texts) for part in parts) or not all(
            any(tells.search(one) for one in texts) for tells in checks
        ):
            yield line.strip(), ""


def _is_order(sentence: str) -> bool:
    """Whether a sentence speaks of what is yet to be run, and not of how it went."""
    told = _RAN.search(sentence) and not _RULED.search(sentence)
    return bool(_ORDERS.search(sentence)) and not told


def _checked(line: str) -> list[re.Pattern[str]]:
    """What tells of each check that a line has pass."""
    if WISHED.search(_CHECK_PASSES.sub(" ", line)):
        return []
    kinds = [found["kind"].lower()[0] for found in _CHECK_PASSES.finditer(line)]
    return [{"l": _LINTERS, "t": _TYPES, "b": _BUILDS}[kind] for kind in kinds]


def _texts(source: Source) -> Iterator[str]:
    """What stands together in a source: each call, each result, each summary, and of each message what is no order, no
    plan and no rule.
    """
    yield from source.summaries
    for message in source.messages:
        said = message.text
        if len(said) <= LOOK_CHARS and _ORDERS.search(said):
            said = "\n".join(one for one in sentences(said) if not _is_order(one))
        yield said
        yield from (result.text for result in message.results)
        yield from (f"{call.name} {call.arguments}" for call in message.calls)
