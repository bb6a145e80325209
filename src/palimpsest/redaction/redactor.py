"""Replacing secrets in what a summarizer reads and writes by stable placeholders.

- A secret becomes `[secret:ab12cd]`, made from its hash: the same secret has the same placeholder everywhere, so that a
  summary can refer to it. Stored messages are not changed; their owner can read them back.
- Results that are JSON text are shown unescaped. Arguments of calls stay JSON: no secret in them extends beyond a
  string.
- What is found anywhere in a source is replaced everywhere in it, also URL-encoded, as JSON text or in base64. Only
  what could be a plain word is replaced just where a name precedes it.
- Texts that rules or a model made from redacted messages are not searched again: only known secrets are removed from
  them.
- With `keeps_said`, a secret that stands in the text of a user or the assistant is kept as it is wherever it appears,
  except in results of tools.
- No secret ever appears in a log or an error: the repr of a `Redactor` does not show what it knows.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2s
from operator import is_
from typing import TypeVar, cast
from urllib.parse import quote

from palimpsest.lazy_regex import later
from palimpsest.record.json_text import is_json_text, loosened
from palimpsest.record.message import Media, Opaque, Part, Text, ToolCall, ToolResult
from palimpsest.record.summary_source import LOOKED_AT, Entry, MessageEntry, Source
from palimpsest.redaction.detector import (
    LEAST_TEXT_CHARS,
    PLACEHOLDER,
    SLICE_CHARS,
    Prefilter,
    Span,
    apart,
    find_secrets,
    is_unmistakable,
    prefilter_of,
    unescaped,
)
from palimpsest.text.cut import clean, shorten
from palimpsest.text.invisible_characters import visible

HEAD_CHARS, TAIL_CHARS = 900_000, 300_000
"""The most characters of one part of a message that a summarizer sees, from both ends."""
NEAR_CUT_CHARS, NAME_CHARS = 9_000, 200
"""How far from a cut secrets are searched for, and how far before a value its name may be."""
MAX_KNOWN = 2_000
MAX_ENCODED_CHARS = 200
"""Longer secrets are not searched for in other encodings."""
FEW_PLACES = 3
"""How many messages with a secret are remembered, since one of them may be deleted."""
FEW_KNOWN = 16
"""So many secrets are searched for one by one."""
MAX_SEARCHED, FEW_SPANS = 3 * LOOKED_AT, 32
"""How many texts have the positions of their secrets cached, and the most positions of one text."""
MAX_CLEAN = 20_000
"""How many messages without secrets are remembered."""

_WORD = later(r"[^\W_]+")
_BORDER = later(r'(?<!\\)(?:\\\\){0,40}"')

Changing = Callable[[str], str]
Result = TypeVar("Result")


def placeholder(secret: str) -> str:
    """The placeholder of a secret, which does not depend on how the secret is escaped."""
    digest = blake2s(_as_read(secret).encode("utf-8", "surrogatepass"), digest_size=3, person=b"palimpst")
    return f"[secret:{digest.hexdigest()}]"


def redact(text: str) -> str:
    """`text` with every secret in it replaced by its placeholder. For a whole source use `protect`."""
    return Redactor().redact(text)


@dataclass(slots=True)
class Redactor:
    """The secrets of one or more sources, and their replacement in any text.

    `places` are the ids of messages from which all secrets can be learnt again; `held` counts these messages for each
    secret and placeholder. `said` are those that `keeps_said` keeps."""

    keeps_said: bool = False
    said: set[str] = field(default_factory=set[str], repr=False)
    _known: set[str] = field(default_factory=set[str], repr=False)
    _forms: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]], repr=False)
    """The forms of each known secret, by their longest word, with the secret."""
    places: dict[str, None] = field(default_factory=dict[str, None], repr=False)
    held: dict[str, int] = field(default_factory=dict[str, int], repr=False)
    _clean: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]], repr=False)

    def __len__(self) -> int:
        return len(self._known)

    def is_clean(self, entry: Entry, *, knew_all: bool = False) -> bool:
        """Whether an entry is shown unchanged; with `knew_all` also that no secret became known since."""
        if not isinstance(entry, MessageEntry) or entry.id not in self._clean:
            return False
        *size, known = self._clean[entry.id]
        return (*size,) == _size(entry) and (not knew_all or known == len(self._known))

    def note_clean(self, entry: MessageEntry) -> None:
        """Remember that an entry is shown unchanged."""
        if len(self._clean) >= MAX_CLEAN:
            del self._clean[next(iter(self._clean))]
        self._clean[entry.id] = (*_size(entry), len(self._known))

    def learn(self, text: str, prefilter: Prefilter | None = None) -> Generator[None, None, list[Span]]:
        """Remember the secrets of `text`, and return their positions; see `find_secrets`."""
        spans = yield from _found(text, prefilter)
        for secret in {text[start:end] for start, end in spans} - self._known:
            if len(self._known) < MAX_KNOWN:
                self._known.add(secret)
                for form, one in _forms_of(secret):
                    longest = max(_WORD.findall(form), key=len, default="")
                    self._forms.setdefault(longest, {}).setdefault(form, one)
        return spans

    def note(self, message: str, secrets: Iterable[str]) -> None:
        """Remember that a message contains these secrets, unless enough other messages do."""
        if message in self.places:
            return
        for secret in secrets:
            held = self.held.get(secret, 0)
            if held < FEW_PLACES:
                self.held[secret] = held + 1
                self.places[message] = None

    def redacting(self, text: str) -> Generator[None, None, str]:
        """`text` without its own and without known secrets; yields like `find_secrets`."""
        spans = yield from _found(text)
        return self.without(text, spans)

    def redact_reply(self, text: str, shown: str) -> str:
        """A model's reply without secrets. What is in `shown`, which the model read and which has no secrets, is
        none.
        """
        spans = [(text[start:end], (start, end)) for start, end in _at_once(_found(text))]
        own = [span for one, span in spans if not (is_unmistakable(one) and any(_places_of(shown, one)))]
        return self.without(text, own)

    def redact(self, text: str) -> str:
        """`redacting` without yielding."""
        return _at_once(self.redacting(text))

    def without(self, text: str, spans: Iterable[Span] = (), *, strict: bool = False) -> str:
        """`text` without its own secrets, at these spans, and without known secrets; `strict`: also those `said`."""
        known, said = self._known_in(text), set[str]() if strict else self.said
        if said:
            known = {form: secret for form, secret in known.items() if secret not in said}
            spans = [(start, end) for start, end in spans if text[start:end] not in said]
        spans = apart([*spans, *(span for form in known for span in _places_of(text, form))])
        pieces: list[str] = []
        at = 0
        for start, end in spans:
            secret = text[start:end]
            pieces.extend((text[at:start], placeholder(known.get(secret, secret))))
            at = end
        return "".join((*pieces, text[at:])) if spans else text

    def _known_in(self, text: str) -> dict[str, str]:
        """The forms of known secrets in a text, each with its secret. Of many, only those whose longest word is in
        it.
        """
        words = self._forms.keys()
        if len(words) > FEW_KNOWN:
            words = words & {"", *_WORD.findall(f"{text} {unescaped(text)}")}
        return {form: secret for word in words for form, secret in self._forms[word].items() if form in text}


def _size(entry: MessageEntry) -> tuple[int, ...]:
    """The sizes by which messages with the same id are distinguished."""
    return entry.tokens, sum(map(len, texts_of(entry)))


def _as_read(secret: str) -> str:
    """A secret with its escapes undone, and with line ends as "\\n"."""
    return unescaped(secret).replace("\r\n", "\n")


def _forms_of(secret: str) -> Iterator[tuple[str, str]]:
    """The forms of an unmistakable secret (plain, URL-encoded, JSON text, base64), each with the secret.

    The password inside a header of basic authentication is a secret too.
    """
    within: list[str] = []
    if len(secret) <= MAX_ENCODED_CHARS:
        with suppress(ValueError):
            within.append(b64decode(secret, validate=True).decode("ascii").rpartition(":")[2])
    for one in filter(is_unmistakable, (secret, *(one for one in within if one.isprintable()))):
        yield one, one
        if len(one) <= MAX_ENCODED_CHARS:
            read = _as_read(one)
            encoded = b64encode(read.encode("utf-8", "replace")).decode()
            yield from ((form, one) for form in (read, quote(read, safe=""), json.dumps(read)[1:-1], encoded))


def _places_of(text: str, secret: str) -> Iterator[Span]:
    """Where a text contains a known secret, not as a part of a longer word. A letter after a backslash is an escape."""
    at = text.find(secret)
    while at >= 0:
        end = at + len(secret)
        before, after = text[at - 1 : at], text[end : end + 1]
        begins = not (before.isalnum() and secret[0].isalnum()) or text[at - 2 : at - 1] == "\\"
        if begins and not (after.isalnum() and secret[-1].isalnum()):
            yield at, end
        at = text.find(secret, end)


def _at_once(steps: Generator[None, None, Result]) -> Result:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


@lru_cache(MAX_SEARCHED)
def _places(name: bytes) -> list[tuple[Span, ...]]:
    """The positions of the secrets in the text with this hash, once it was searched."""
    return []


def _name(text: str) -> bytes:
    return blake2s(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _found(text: str, prefilter: Prefilter | None = None) -> Generator[None, None, list[Span]]:
    """Where a text contains secrets; in JSON text none extends beyond a string. A few positions are cached."""
    if len(text) < LEAST_TEXT_CHARS:
        return []
    places = _places(_name(text))
    if places:
        return [*places[0]]
    spans = yield from find_secrets(text, prefilter)
    if any('"' in text[slice(*span)] for span in spans) and is_json_text(text):
        borders = [_BORDER.search(text, *span) for span in spans]
        ends = [border.end() - 1 if border else end for border, (_, end) in zip(borders, spans, strict=True)]
        spans = [(start, end) for (start, _), end in zip(spans, ends, strict=True) if start < end]
    if len(spans) <= FEW_SPANS:
        places.append(tuple(spans))
    return spans


def protect(source: Source, known: Redactor | None = None) -> Generator[None, None, tuple[Source, Redactor]]:
    """The source as a summarizer may see it, without secrets and invisible characters, and the redactor for its reply.

    Yields None between small pieces of work. Secrets `known` from other sources are replaced as well, and those of this
    source are added to them.
    """
    redactor = Redactor() if known is None else known
    entries: list[Entry] = []
    fresh: list[MessageEntry] = []
    for entry in source.entries:
        if redactor.is_clean(entry):
            entries.append(entry)
            continue
        entries.append(
            _changed(
                entry,
                lambda text: visible(clean(_shortened(text))),
                lambda text: visible(clean(loosened(_shortened(text)))),
            )
        )
        if isinstance(shown := entries[-1], MessageEntry):
            fresh.append(shown)
        yield
    said = [visible(clean(text)) for text in (source.focus, source.system)]
    made = [visible(clean(text)) for text in source.earlier]
    spans: dict[str, list[Span]] = {text: [] for text in made}
    spans.update((entry.summary.text, []) for entry in entries if not isinstance(entry, MessageEntry))
    for batch in _batches(fresh):
        texts = [text for _, found in batch for text in found if not _places(_name(text))]
        prefilter = prefilter_of(texts) if sum(map(len, texts)) <= 2 * SLICE_CHARS else None
        yield
        for entry, texts in batch:
            own_words = _said_texts(entry) if redactor.keeps_said else ()
            for text in texts:
                spans[text] = yield from redactor.learn(text, prefilter)
                if text in own_words:
                    redactor.said.update(text[start:end] for start, end in spans[text])
                if spans[text]:
                    redactor.note(entry.id, (text[start:end] for start, end in spans[text]))
    for text in said:
        spans[text] = yield from redactor.learn(text)
    kept: list[Entry] = []
    for given, entry in zip(source.entries, entries, strict=True):
        if redactor.is_clean(given, knew_all=True):
            kept.append(entry)
            continue
        kept.append(
            _changed(
                entry,
                lambda text: redactor.without(text, spans.get(text, ())),
                lambda text: redactor.without(text, spans.get(text, ()), strict=True),
            )
        )
        if isinstance(entry, MessageEntry):
            texts = (text for text in texts_of(kept[-1]) if "[secret:" in text)
            placeholders = {one for text in texts for one in PLACEHOLDER.findall(text)}
            redactor.note(entry.id, placeholders - redactor.held.keys())
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


def _said_texts(entry: MessageEntry) -> frozenset[str]:
    """The texts of a message of the user or the assistant, without calls and results."""
    if entry.message.role not in ("user", "assistant"):
        return frozenset()
    return frozenset(part.text for part in entry.message.parts if isinstance(part, Text))


def texts_of(entry: Entry) -> list[str]:
    """The texts of an entry that may contain secrets."""
    texts: list[str] = []
    _changed(entry, lambda text: (texts.append(text), text)[1])
    return texts


def _shortened(text: str) -> str:
    """A long text without its middle. No secret is cut, or separated from its name: half of it would not be
    recognised.
    """
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    head, tail = HEAD_CHARS, len(text) - TAIL_CHARS
    for start, end in _near_cut(text, head):
        head = start if start < head < end else head
    for start, end in _near_cut(text, tail):
        tail = end if start - NAME_CHARS < tail < end else tail
    return shorten(text, head, len(text) - tail)


def _near_cut(text: str, cut: int) -> list[Span]:
    """The secrets near a position of a text."""
    start = max(0, cut - NEAR_CUT_CHARS)
    spans = _at_once(_found(text[start : cut + NEAR_CUT_CHARS]))
    return [(start + first, start + last) for first, last in spans]


def _changed(entry: Entry, change: Changing, of_results: Changing | None = None) -> Entry:
    """An entry with each of its texts changed; the same object if that changes nothing."""
    if not isinstance(entry, MessageEntry):
        text = change(entry.summary.text)
        if text == entry.summary.text:
            return entry
        return replace(entry, summary=replace(entry.summary, text=text))
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
        case Opaque(data=data):
            changed = change(data)
            return part if changed == data else replace(part, data=changed)
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


HIDDEN = "[hidden]"
MIN_SECRET_CHARS = 6

_KEYS = later(
    r"\b(?:sk|pk|rk|gsk|xai|hf|nvapi|fw|tgp|csk|ak|key|pplx|r8|ghp|gho|github_pat|glpat|xox[abp])[-_][\w*.…-]{6,}"
    r"|\bAIza[\w-]{20,}|\bya29\.[\w.-]{10,}|\bA[KS]IA[A-Z0-9]{12,}|\beyJ[\w-]{10,}(?:\.[\w-]+){1,2}"
)
_NAMED = later(
    r"((?:(?:x[-_])?(?:goog[-_])?api[-_ ]?key|access[-_]?token|auth(?:orization)?|secret|password|\bkey)"
    r"""["']?\s*(?:[=:]|provided:)\s*["']?(?:bearer\s+|basic\s+)?)(?!\[hidden\])([^\s"'&,;)}\]]{6,})""",
    re.IGNORECASE,
)
_BEARER = later(r"(\bbearer\s+)(?!\[hidden\])[^\s\"',;)}\]]{6,}", re.IGNORECASE)
_IN_ADDRESS = later(r"(?<!\w)(\w+://)[^/\s:@]*:[^/\s@]+@")


def redact_error_text(text: str, secrets: Sequence[str] = ()) -> str:
    """An error message or a log line without the given secrets, and without anything that looks like a key.

    All are hidden in the same way: a placeholder made from a hash could be used to test guesses.
    """
    for secret in secrets:
        if len(secret) >= MIN_SECRET_CHARS:
            text = text.replace(secret, HIDDEN)
    text = PLACEHOLDER.sub(HIDDEN, redact(text))
    text = _IN_ADDRESS.sub(rf"\1{HIDDEN}@", text)
    text = _KEYS.sub(HIDDEN, text)
    text = _NAMED.sub(rf"\1{HIDDEN}", text)
    return _BEARER.sub(rf"\1{HIDDEN}", text)
