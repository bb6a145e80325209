"""The user's requests as a summary has them: the newest letter by letter, and none that nobody made.

Rules kept here:

- Where a form has a section for the pending request, the newest one of the source stands there as it was written; as
  the last request of this part where its answer stands in the source, or behind it.
- In any other form, and where nobody asked for anything in the source, a line under such a heading that no user said
  goes: the newest request stands beside the summary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.cut import Count
from palimpsest.summarize.forms import FORMS, Form, written
from palimpsest.summarize.source import Source

PENDING = "Pending user request"
ANSWERED = "Last request of this part"
REQUEST_SHARE = 0.4
"""Of the limit, what a request quoted in a summary may take; a longer one is not quoted there."""
HEADING_TOKENS = 8
MIN_WORDS, MIN_SIGNS = 2, 4
"""In a line that asks for something; signs where words are not parted."""

_MARKED = later(r"^\s*(?:[-*>]\s+)?(?:(?:the )?user[^:\n]{0,40}:\s*)?", re.IGNORECASE)
"""What stands before a quoted request."""
_NOTHING = later(
    r"\W{0,2}(?:none|nothing|no (?:\w+ ){0,2}(?:requests?|one)|n/a|all (?:\w+ ){0,3}(?:answered|done)|kein\w*|nichts|"
    r"aucune?|rien|ningun\w*|nada|nessun\w*|niente)\b|[无沒没]"
)
"""How it is said that nothing is pending."""


def unasked(text: str, source: Source) -> Iterator[str]:
    """The lines of what a reply has as the user's pending request that no user said."""
    said = [_flat(one) for one in (*source.requests, *source.summaries, source.goal)]
    for heading, lines in FORMS["sections"].parse(text):
        for line in lines if heading == PENDING else ():
            own = _flat(_MARKED.sub("", line))
            tells = len(own.split()) >= MIN_WORDS or (len(own) >= MIN_SIGNS and not own.isascii())
            if tells and not _NOTHING.match(own) and not any(own in one for one in said):
                yield line.strip()


def is_answered(source: Source) -> bool:
    """Whether the newest request of a source has its answer: behind the source, or as its last message, in words
    without a call.
    """
    last = source.messages[-1:]
    said = [one for one in last if one.role == "assistant" and not one.calls and one.text.strip()]
    return source.answered or bool(said)


def _flat(text: str) -> str:
    return " ".join(text.split()).strip("\"'“”„«»「」").casefold()


def titled(text: str, form: Form, source: Source) -> str:
    """The text with the newest request under a heading that says whether it is pending: the last thing that is done to
    a text, as forms know both headings as one.
    """
    if not form.request or not is_answered(source):
        return text
    return "\n".join(
        f"## {ANSWERED}" if form.heading_of(line) == form.request else line for line in text.splitlines()
    )


def quoting(
    text: str, form: Form, request: str, limit_tokens: int, count: Count, *, pending: bool = False
) -> tuple[str, tuple[str, ...]]:
    """The text with the newest request letter by letter where it has a section for it; without one it is given it where
    the request is `pending`.
    """
    heading = form.request
    parsed = form.parse(text)
    named = heading in {name for name, _ in parsed}
    held = "\n".join("\n".join(lines) for name, lines in parsed if name == heading) if named else text
    if not heading or not request or request in held or not (named or pending):
        return text, ()
    fits = count(request) <= limit_tokens * REQUEST_SHARE
    if not named and (not fits or count(text) + count(request) + HEADING_TOKENS >= limit_tokens):
        return text, ()
    rest = [one for one in parsed if one[0] != heading]
    if fits:
        form.insert(rest, heading, (request,))
    done = " as it was written" if named else ", which was left out"
    return written(rest), (
        f"the newest request{done}" if fits else "the newest request is too long to quote",
    )
