"""Keys, tokens and passwords out of what a summarizer reads and writes, each replaced by a stable placeholder.

Rules kept here:

- A secret becomes `[secret:ab12cd]`, made from a hash of it: the same one has the same name everywhere, so that a
  summary can speak of it. What the messages hold is not touched; reading them back gives it to their owner.
- Results that are JSON text are shown with their lines and characters undone; what a call is given stays JSON: no
  secret in it reaches over the end of a string.
- What was found anywhere in a source is replaced wherever it stands in it, also as addresses, JSON text or base64 write
  it; only what could be a plain word is left alone outside of the places that name it.
- Texts that our own rules or a model made from messages without secrets are not searched again: of them only what is
  known is taken out.
- Nothing here ever stands in a log or an error: a `Redactor` does not show what it knows.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2s
from operator import is_
from typing import TypeVar, cast
from urllib.parse import quote

from palimpsest.lazy_regex import later
from palimpsest.record.json_text import is_json_text, loosened
from palimpsest.record.message import Media, Part, Text, ToolCall, ToolResult
from palimpsest.record.summary_source import LOOKED_AT, Entry, MessageEntry, Source
from palimpsest.redaction.detector import (
    LEAST_TEXT_CHARS,
    PLACEHOLDER,
    SLICE_CHARS,
    Near,
    Span,
    apart,
    find_secrets,
    is_telling,
    looked_near,
    unescaped,
)
from palimpsest.text.cut import clean, shorten
from palimpsest.text.invisible_characters import visible

HEAD_CHARS, TAIL_CHARS = 150_000, 50_000
"""No summarizer looks deeper into one part of a message."""
BESIDE_CUT_CHARS, NAME_CHARS = 9_000, 200
"""How far on both sides of a cut secrets are looked for, and how far before a value its name may stand."""
MAX_KNOWN = 2_000
MAX_FORMED_CHARS = 200
"""A longer secret is not looked for in other writings."""
FEW_PLACES = 3
"""So many messages with a secret are remembered: one of them may be forgotten."""
FEW_KNOWN = 16
"""So many are looked for one by one."""
MAX_SEARCHED, FEW_SPANS = 3 * LOOKED_AT, 32
"""Texts of which the places of secrets are remembered, as many as a long backlog has, and how many these may be."""

MAX_CLEAN = 20_000
"""So many messages are remembered that were looked through."""

_WORD = later(r"[^\W_]+")
_BORDER = later(r'(?<!\\)(?:\\\\){0,40}"')

Changing = Callable[[str], str]
Told = TypeVar("Told")


def placeholder(secret: str) -> str:
    """The name that stands for a secret: the same for the same one, however it is escaped."""
    digest = blake2s(_as_read(secret).encode("utf-8", "surrogatepass"), digest_size=3, person=b"palimpst")
    return f"[secret:{digest.hexdigest()}]"


def redact(text: str) -> str:
    """`text` with every secret in it replaced by its placeholder, at once. For a whole source there is `protect`."""
    return Redactor().redact(text)


@dataclass(slots=True)
class Redactor:
    """The secrets of one source or of many, and their replacement in any text. `places` are the ids of messages from
    which all of them can be learnt again; `held` says of each secret and placeholder how many of them hold it.
    """

    _known: set[str] = field(default_factory=set[str], repr=False)
    _forms: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]], repr=False)
    """How each known secret may be written, by the longest word of it, with the secret."""
    places: dict[str, None] = field(default_factory=dict[str, None], repr=False)
    held: dict[str, int] = field(default_factory=dict[str, int], repr=False)
    _clean: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]], repr=False)

    def __len__(self) -> int:
        return len(self._known)

    def is_clean(self, entry: Entry) -> bool:
        """Whether an entry was looked through, and held no secret and nothing invisible."""
        return isinstance(entry, MessageEntry) and self._clean.get(entry.id, (0,))[:-1] == _size(entry)

    def knew_all(self, entry: MessageEntry) -> bool:
        """Whether no secret became known since a clean entry was last looked at."""
        return self._clean[entry.id][-1] == len(self._known)

    def note_clean(self, entry: MessageEntry) -> None:
        """Remember that an entry is shown as it is."""
        if len(self._clean) >= MAX_CLEAN:
            del self._clean[next(iter(self._clean))]
        self._clean[entry.id] = (*_size(entry), len(self._known))

    def learn(self, text: str, near: Near | None = None) -> Generator[None, None, list[Span]]:
        """Remember the secrets of `text`, and say where they stand; `near` as for `find_secrets`."""
        spans = yield from _found(text, near)
        for secret in {text[start:end] for start, end in spans} - self._known:
            if len(self._known) < MAX_KNOWN:
                self._known.add(secret)
                for form, one in _forms_of(secret):
                    longest = max(_WORD.findall(form), key=len, default="")
                    self._forms.setdefault(longest, {}).setdefault(form, one)
        return spans

    def note(self, message: str, secrets: Iterable[str]) -> None:
        """Remember that a message holds these secrets, unless enough others hold each of them."""
        if message in self.places:
            return
        for secret in secrets:
            held = self.held.get(secret, 0)
            if held < FEW_PLACES:
                self.held[secret] = held + 1
                self.places[message] = None

    def redacting(self, text: str) -> Generator[None, None, str]:
        """`text` without its own secrets and without those that are known; pauses like `find_secrets`."""
        spans = yield from _found(text)
        return self.without(text, spans)

    def redact_reply(self, text: str, shown: str) -> str:
        """A reply of a model that read `shown`, which holds no secrets: what cannot be mistaken and stands there is
        none, whatever stands before it in the reply.
        """
        spans = [(text[start:end], (start, end)) for start, end in _at_once(_found(text))]
        own = [span for one, span in spans if not (is_telling(one) and any(_places_of(shown, one)))]
        return self.without(text, own)

    def redact(self, text: str) -> str:
        """As `redacting`, at once."""
        return _at_once(self.redacting(text))

    def without(self, text: str, spans: Iterable[Span] = ()) -> str:
        """`text` without its own secrets, which stand at these spans, and without those that are known."""
        known = self._known_in(text)
        spans = apart([*spans, *(span for form in known for span in _places_of(text, form))])
        pieces: list[str] = []
        at = 0
        for start, end in spans:
            secret = text[start:end]
            pieces.extend((text[at:start], placeholder(known.get(secret, secret))))
            at = end
        return "".join((*pieces, text[at:])) if spans else text

    def _known_in(self, text: str) -> dict[str, str]:
        """The writings of known secrets that stand in a text, each with its secret. Of many only those are looked for
        whose longest word stands there: words end where places of secrets do.
        """
        forms = self._forms
        near = (
            forms
            if len(forms) <= FEW_KNOWN
            else forms.keys() & {"", *_WORD.findall(f"{text} {unescaped(text)}")}
        )
        return {form: secret for word in near for form, secret in forms[word].items() if form in text}


def _size(entry: MessageEntry) -> tuple[int, ...]:
    """What tells one message from another under the same id."""
    return entry.tokens, sum(map(_part_chars, entry.message.parts))


def _part_chars(part: Part) -> int:
    match part:
        case Text(text):
            return len(text)
        case ToolCall(arguments=arguments):
            return len(arguments)
        case ToolResult():
            return len(part.text)
        case _:
            return 1


def _as_read(secret: str) -> str:
    """A secret with its escapes undone, and without the ends of lines that other systems have."""
    return unescaped(secret).replace("\r\n", "\n")


def _forms_of(secret: str) -> Iterator[tuple[str, str]]:
    """How a secret that cannot be mistaken is written, in addresses, JSON text and base64 as well, and which it is: it
    or the password within a header of basic authentication.
    """
    within: list[str] = []
    if len(secret) <= MAX_FORMED_CHARS:
        with suppress(ValueError):
            within.append(b64decode(secret, validate=True).decode("ascii").rpartition(":")[2])
    for one in filter(is_telling, (secret, *(one for one in within if one.isprintable()))):
        yield one, one
        if len(one) <= MAX_FORMED_CHARS:
            read = _as_read(one)
            encoded = b64encode(read.encode("utf-8", "replace")).decode()
            yield from ((form, one) for form in (read, quote(read, safe=""), json.dumps(read)[1:-1], encoded))


def _places_of(text: str, secret: str) -> Iterator[Span]:
    """Where a known secret stands in a text, apart from what only begins or ends like it. A letter behind a backslash
    is an escape.
    """
    at = text.find(secret)
    while at >= 0:
        end = at + len(secret)
        before, after = text[at - 1 : at], text[end : end + 1]
        begins = not (before.isalnum() and secret[0].isalnum()) or text[at - 2 : at - 1] == "\\"
        if begins and not (after.isalnum() and secret[-1].isalnum()):
            yield at, end
        at = text.find(secret, end)


def _at_once(steps: Generator[None, None, Told]) -> Told:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


@lru_cache(MAX_SEARCHED)
def _places(name: bytes) -> list[tuple[Span, ...]]:
    """Where the secrets stand in the text of this hash, once it was searched: one is read for many summaries."""
    return []


def _name(text: str) -> bytes:
    return blake2s(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _found(text: str, near: Near | None = None) -> Generator[None, None, list[Span]]:
    """Where secrets stand in a text; in JSON text none reaches over the end of a string. Where few stand in it, it is
    not searched again.
    """
    if len(text) < LEAST_TEXT_CHARS:
        return []
    places = _places(_name(text))
    if places:
        return [*places[0]]
    spans = yield from find_secrets(text, near)
    if any('"' in text[slice(*span)] for span in spans) and is_json_text(text):
        borders = [_BORDER.search(text, *span) for span in spans]
        ends = [border.end() - 1 if border else end for border, (_, end) in zip(borders, spans, strict=True)]
        spans = [(start, end) for (start, _), end in zip(spans, ends, strict=True) if start < end]
    if len(spans) <= FEW_SPANS:
        places.append(tuple(spans))
    return spans


def protect(source: Source, known: Redactor | None = None) -> Generator[None, None, tuple[Source, Redactor]]:
    """The source as a summarizer may see it, without secrets and invisible characters, and what it takes to keep a
    reply so. Yields None between small pieces of work; a source that holds neither comes back with equal entries.

    What is `known` from other sources is replaced as well, and what this one holds is added to it.
    """
    redactor = Redactor() if known is None else known
    entries: list[Entry] = []
    fresh: list[MessageEntry] = []
    for entry in source.entries:
        if redactor.is_clean(entry):
            entries.append(entry)
            continue
        entries.append(_changed(entry, _seen, _seen_result))
        if isinstance(seen := entries[-1], MessageEntry):
            fresh.append(seen)
        yield
    said = [visible(clean(text)) for text in (source.focus, source.system)]
    made = [visible(clean(text)) for text in source.earlier]
    spans: dict[str, list[Span]] = {text: [] for text in made}
    spans.update((entry.summary.text, []) for entry in entries if not isinstance(entry, MessageEntry))
    for batch in _batches(fresh):
        texts = [text for _, found in batch for text in found if not _places(_name(text))]
        near = looked_near(texts) if sum(map(len, texts)) <= 2 * SLICE_CHARS else None
        yield
        for entry, texts in batch:
            for text in texts:
                spans[text] = yield from redactor.learn(text, near)
                if spans[text]:
                    redactor.note(entry.id, (text[start:end] for start, end in spans[text]))
    for text in said:
        spans[text] = yield from redactor.learn(text)
    kept: list[Entry] = []
    for given, entry in zip(source.entries, entries, strict=True):
        if isinstance(given, MessageEntry) and redactor.is_clean(given) and redactor.knew_all(given):
            kept.append(entry)
            continue
        kept.append(_changed(entry, lambda text: redactor.without(text, spans.get(text, ()))))
        if isinstance(entry, MessageEntry):
            shown = {
                one for text in texts_of(kept[-1]) if "[secret:" in text for one in PLACEHOLDER.findall(text)
            }
            redactor.note(entry.id, shown - redactor.held.keys())
            if kept[-1] is given:
                redactor.note_clean(entry)
        yield
    focus, system = (redactor.without(text, spans[text]) for text in said)
    yield
    earlier = tuple(redactor.without(text) for text in made)
    return replace(source, entries=tuple(kept), earlier=earlier, focus=focus, system=system), redactor


def _batches(entries: Iterable[MessageEntry]) -> Iterator[list[tuple[MessageEntry, list[str]]]]:
    """The entries with their texts, about a slice at a time."""
    batch: list[tuple[MessageEntry, list[str]]] = []
    chars = 0
    for entry in entries:
        texts = texts_of(entry)
        batch.append((entry, texts))
        chars += sum(map(len, texts))
        if chars >= SLICE_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def texts_of(entry: Entry) -> list[str]:
    """The texts of an entry in which secrets may stand, each as it is."""
    texts: list[str] = []
    _changed(entry, lambda text: (texts.append(text), text)[1])
    return texts


def _seen(text: str) -> str:
    return visible(clean(_shortened(text)))


def _seen_result(text: str) -> str:
    return visible(clean(loosened(_shortened(text))))


def _shortened(text: str) -> str:
    """A text of more than `HEAD_CHARS` and `TAIL_CHARS` without its middle. No secret is cut, or parted from its name:
    half of one would not be known as a secret.
    """
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    head, tail = HEAD_CHARS, len(text) - TAIL_CHARS
    for start, end in _beside(text, head):
        head = start if start < head < end else head
    for start, end in _beside(text, tail):
        tail = end if start - NAME_CHARS < tail < end else tail
    return shorten(text, head, len(text) - tail)


def _beside(text: str, cut: int) -> list[Span]:
    """Where secrets stand near a place of a text."""
    start = max(0, cut - BESIDE_CUT_CHARS)
    spans = _at_once(_found(text[start : cut + BESIDE_CUT_CHARS]))
    return [(start + first, start + last) for first, last in spans]


def _changed(entry: Entry, change: Changing, of_results: Changing | None = None) -> Entry:
    """An entry with each of its texts changed; the same one where that changes nothing."""
    if not isinstance(entry, MessageEntry):
        text = change(entry.summary.text)
        return (
            entry if text == entry.summary.text else replace(entry, summary=replace(entry.summary, text=text))
        )
    message = entry.message
    parts = tuple(_changed_part(part, change, of_results or change) for part in message.parts)
    name = change(message.name)
    if name == message.name and all(map(is_, parts, message.parts)):
        return entry
    return replace(entry, message=replace(message, name=name, parts=parts))


def _changed_part(part: Part, change: Changing, of_results: Changing) -> Part:
    match part:
        case Text(text):
            changed = change(text)
            return part if changed == text else replace(part, text=changed)
        case Media(uri=uri):
            changed = change(uri)
            return part if changed == uri else replace(part, uri=changed)
        case ToolCall(name=name, arguments=arguments):
            new = change(name), change(arguments)
            return part if new == (name, arguments) else replace(part, name=new[0], arguments=new[1])
        case ToolResult(content=content):
            inner = tuple(_changed_part(one, of_results, of_results) for one in content)
            if all(map(is_, inner, content)):
                return part
            return replace(part, content=cast("tuple[Text | Media, ...]", inner))
        case _:
            return part
