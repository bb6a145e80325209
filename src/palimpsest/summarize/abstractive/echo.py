"""A reply without lines of its own prompt, which a model copies that does not tell its task from its data.

Rules kept here:

- A sentence goes that stands in the prompt, or as one of its findings, however it is marked; what it stands before or
  behind stays, and so does a heading that has its explanation behind it.
- What the conversation says as well is no echo, in whatever forms and order of its words one sentence says it.
- A few words alone are none, unless they are all of a line of the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.forms import fenced_lines
from palimpsest.summarize.sentences import PIECE, ends, sentences, terms

LINE_WORDS, PART_WORDS, LABEL_WORDS = 3, 5, 4
"""Words of a whole line of the prompt, of a part of one, and of the label of a finding, that are an echo."""
LEAST_TERMS = 2
MAX_PROMPTS = 16
"""Prompts whose lines are remembered."""
HEARD_CHARS = 200_000
"""Of what a conversation says, what is looked through sentence by sentence."""
_TAG = later(r"\W{0,6}</?(?:facts|findings|earlier_summary|agent_prompt|rules)>\W{0,4}")
"""A fence that the request has around what it gives."""
_LABEL = later(r"(?P<before>[^:：\n]{1,120}[:：])[*_\s]{0,4}(?P<behind>\S.*)")
_DENSE = ("。", "！", "？", "；")
"""No space follows these stops."""
_APART = later(r"[\W_]+")
_BULLET = later(r"\s{0,12}(?:(?:[-*•]|\d{1,3}[.)])\s{1,4})?")


@dataclass(frozen=True)
class Own:
    """What a request says in its own words: its prompt, the findings in it, and all that its conversation says."""

    prompt: str
    findings: Sequence[str]
    said: str

    @cached_property
    def words(self) -> str:
        return f" {_words(self.prompt)} "

    @cached_property
    def heard(self) -> str:
        return f" {_words(self.said)} "

    @cached_property
    def spoken(self) -> tuple[frozenset[str], ...]:
        """The terms of each sentence of the conversation."""
        heard = ends(self.said, HEARD_CHARS).splitlines()
        return tuple(dict.fromkeys(frozenset(terms(one)) for line in heard for one in sentences(line)))

    @cached_property
    def wholes(self) -> frozenset[str]:
        """Each of its lines and sentences, and what stands behind a label in them."""
        return _wholes(self.prompt).union(map(_words, self.findings))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """How its findings begin."""
        found = {_words(one.partition(": ")[0]) for one in self.findings if ": " in one}
        return tuple(f"{one} " for one in found if _number(one) >= LABEL_WORDS)

    def has(self, text: str) -> bool:
        """Whether a text is one of its own."""
        words = _words(text)
        number = _number(words)
        own = (number >= LINE_WORDS and words in self.wholes) or (
            number >= PART_WORDS and f" {words} " in self.words
        )
        return own and f" {words} " not in self.heard and not self._is_spoken(text)

    def _is_spoken(self, text: str) -> bool:
        """Whether one sentence of the conversation has all terms of a text."""
        own = set(terms(text))
        return len(own) >= LEAST_TERMS and any(
            len(own) <= len(one) and len(with_forms(own, one)) == len(own) for one in self.spoken
        )


@lru_cache(MAX_PROMPTS)
def _wholes(prompt: str) -> frozenset[str]:
    """Each line and sentence of a prompt, and what stands behind a label in them: most requests have the same one."""
    lines = (*prompt.splitlines(), *sentences(prompt))
    behind = (found["behind"] for line in lines if (found := _LABEL.search(line)))
    return frozenset(map(_words, (*lines, *behind)))


def without_prompt(text: str, own: Own) -> tuple[str, tuple[str, ...]]:
    """The text without what of it the request said itself, and what that was."""
    lines = text.splitlines()
    fenced = fenced_lines(lines)
    kept: list[str] = []
    gone: list[str] = []
    for at, line in enumerate(lines):
        left = line if at in fenced else "".join(_left(line, own)).rstrip()
        left = left if left != line.rstrip() else line
        if left != line and not _words(left).strip("0123456789"):
            left = ""
        if left != line and line.strip():
            gone.append(line.strip())
        if left.strip() or not line.strip():
            kept.append(left)
    return ("\n".join(kept).strip(), tuple(gone)) if gone else (text, ())


def _left(line: str, own: Own) -> Iterator[str]:
    """The pieces of a line that are not the request's, with the spaces between them."""
    heads = line.lstrip().startswith("#")
    if _TAG.fullmatch(line) or _words(line).startswith(own.labels) or (own.has(line) and not heads):
        return
    pieces = [line] if heads else [piece for piece in PIECE.split(line) if piece]
    told = [one for piece in pieces if (one := _untold(piece, own))]
    if told != pieces and told and told[0] is not pieces[0] and not heads:
        mark = _BULLET.match(line)
        told[0] = f"{mark[0] if mark else ''}{_BULLET.sub('', told[0], count=1)}"
    if told == pieces:
        yield line
    else:
        yield from (one if one.endswith(_DENSE) else f"{one} " for one in told)


def _untold(piece: str, own: Own) -> str:
    """What a piece says itself: "" for an echo, what stands behind one, or a heading before one."""
    label = _LABEL.match(piece)
    if label and piece.lstrip().startswith("#") and own.has(label["behind"]):
        return label["before"].rstrip(":：")
    if own.has(piece) or (label and own.has(label["behind"])):
        return ""
    return label["behind"] if label and own.has(label["before"]) else piece


def _words(text: str) -> str:
    return _APART.sub(" ", text.casefold()).strip()


def _number(words: str) -> int:
    """How many words there are; signs of scripts without spaces are about half of one each."""
    dense = len(re.findall(r"[\u3040-\u9fff\uac00-\ud7af]", words))
    return len(words.split()) + dense // 2
