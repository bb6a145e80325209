"""Keys, tokens and passwords out of what a summarizer reads and writes, each replaced by a stable placeholder.

Rules kept here:

- A secret becomes `[secret:ab12cd]`, made from a hash of it: the same one has the same name everywhere, so that a
  summary can speak of it. What the messages hold is not touched; reading them back gives it to their owner.
- Results that are JSON text are shown with their lines and characters undone, so that no escape parts a secret; what a
  call is given stays JSON, and is searched as it reads, too.
- What is written in base64, hexadecimal digits or percent-escapes is searched as what it reads.
- What a tool shows behind numbers, names of files, signs of changes or of a quote is searched without them.
- What was found anywhere in a source is replaced wherever it stands in it, also where nothing near it says what it is;
  only short words, and those that the source uses for something else, are left alone outside of the places that name
  them. A word that was only an answer is replaced in one more place at most, and in no other source.
- Texts that our own rules or a model made from messages without secrets are not searched again: of them only what is
  known is taken out. Out of the sentences in which they stood, names beside one another read like a name and its value.
- Nothing here ever stands in a log or an error: a `Redactor` does not show what
  it knows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2s
from typing import TypeVar

from palimpsest.record.jsontext import loosened
from palimpsest.record.message import Media, Message, Part, Text, ToolCall, ToolResult
from palimpsest.summarize.cut import clean, shorten
from palimpsest.summarize.secrets.encoded import encoded_in, read_as
from palimpsest.summarize.secrets.in_json import find_inside, find_read
from palimpsest.summarize.secrets.lists import named_alone
from palimpsest.summarize.secrets.looks.known import (
    forms_of,
    is_telling,
    is_word,
    longest_word,
    places_of,
    words_of,
)
from palimpsest.summarize.secrets.places import PLACEHOLDER, Span, apart, find_secrets
from palimpsest.summarize.secrets.prefixed import unprefixed
from palimpsest.summarize.secrets.told.asked import Asked
from palimpsest.summarize.secrets.unescaped import as_read
from palimpsest.summarize.source import LOOKED_AT, Entry, MessageEntry, Source
from palimpsest.summarize.visible import visible

HEAD_CHARS, TAIL_CHARS = 150_000, 50_000
"""No summarizer looks deeper into one part of a message."""
MAX_KNOWN = 2_000
FEW_PLACES = 3
"""So many messages with a secret are remembered: one of them may be forgotten."""
FEW_KNOWN = 16
"""So many are looked for one by one."""
FEW_USES = 3
"""A word that a source uses more often, apart from where it is a password, is left alone there."""
MAX_CLEAN = 3 * LOOKED_AT
"""Texts that are remembered to hold no secret of their own, as many as a long backlog has; then it begins anew."""
MAX_PLACES, FEW_SPANS = 4_096, 32
"""Texts of all sources of which the places of their secrets are remembered, and how many these may be."""

Changing = Callable[[str], str]
Told = TypeVar("Told")


def placeholder(secret: str) -> str:
    """The name that stands for a secret: the same for the same one."""
    digest = blake2s(as_read(secret).encode("utf-8", "surrogatepass"), digest_size=3, person=b"palimpst")
    return f"[secret:{digest.hexdigest()}]"


def redact(text: str) -> str:
    """`text` with every secret in it replaced by its placeholder, at once. For a whole source there is `protect`."""
    return Redactor().redact(text)


@dataclass(slots=True)
class Redactor:
    """The secrets of one source or of many, and their replacement in any text. `places` are the ids of messages from
    which all of them can be learnt again.
    """

    _known: dict[str, bool] = field(default_factory=dict[str, bool], repr=False)
    _telling: dict[str, list[str]] = field(default_factory=dict[str, list[str]], repr=False)
    _words: set[str] = field(default_factory=set[str], repr=False)
    places: dict[str, None] = field(default_factory=dict[str, None], repr=False)
    _held: dict[str, int] = field(default_factory=dict[str, int], repr=False)
    _forms: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    _asker: str = ""
    asked: Asked = field(default_factory=Asked, repr=False)
    _clean: set[bytes] = field(default_factory=set[bytes], repr=False)

    def __len__(self) -> int:
        return len(self._known)

    def learn(self, text: str) -> Generator[None, None, list[Span]]:
        """Remember the secrets of `text`, and say where they stand."""
        spans = yield from self._own(text)
        for start, end in spans:
            self.know(text[start:end])
            read = read_as(text[start:end])
            if read:
                within = yield from find_secrets(read)
                for first, last in within or [(0, len(read))]:
                    self.know(read[first:last])
        return spans

    def note(self, message: str, secrets: Iterable[str]) -> None:
        """Remember that a message holds these secrets, unless enough others hold each of them."""
        if message in self.places:
            return
        for secret in secrets:
            held = self._held.get(secret, 0)
            if held < FEW_PLACES:
                self._held[secret] = held + 1
                self.places[message] = None

    def know(self, secret: str) -> None:
        """Remember a secret; one that cannot be mistaken is replaced in every text, also as others write it."""
        if secret in self._known or len(self._known) >= MAX_KNOWN:
            return
        self._known[secret] = is_telling(secret)
        if self._known[secret]:
            for form in (secret, *forms_of(secret)):
                self._telling.setdefault(longest_word(form), []).append(form)
                if form != secret:
                    self._forms.setdefault(form, secret)
        elif is_word(secret):
            self._words.add(secret)
            self._telling[secret] = [secret]

    def note_answer(self, message: str, secret: str) -> None:
        """As `note`, of one that was asked for: the message that asked tells it, and is remembered before it."""
        if message not in self.places and self._held.get(secret, 0) < FEW_PLACES and self._asker:
            self.places[self._asker] = None
        self.note(message, (secret,))

    def note_shown(self, message: str, texts: Iterable[str]) -> None:
        """Remember a message for the placeholders in its texts that no other holds, so that each leads back to one."""
        self.note(
            message, (one for text in texts for one in PLACEHOLDER.findall(text) if one not in self._held)
        )

    def read_on(self, message: str, role: str) -> None:
        """Take note of who speaks: what an assistant's message asks for is told behind it."""
        self._asker = message if role == "assistant" else self._asker

    def weigh(self, spans: Mapping[str, list[Span]]) -> None:
        """Let go of the words that these texts often use where no secret stands."""
        for word in [*self._words]:
            named = sum(text[start:end] == word for text, found in spans.items() for start, end in found)
            if sum(text.count(word) for text in spans) - named > FEW_USES:
                self._words.discard(word)
                self._telling.pop(word, None)

    def _telling_in(self, text: str) -> list[str]:
        """The known secrets that stand in a text and cannot be mistaken. Of many only those are looked for whose
        longest word stands there: words end where places of secrets do.
        """
        known = self._telling
        near = known if len(known) <= FEW_KNOWN else known.keys() & words_of(text)
        return [secret for word in near for secret in known[word] if secret in text]

    def _own(self, text: str) -> Generator[None, None, list[Span]]:
        """The secrets of `text` itself. A message is read for the ledger and for each of its summaries; one that was
        found to hold none is not searched again.
        """
        name = blake2s(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if name in self._clean:
            return []
        spans = yield from _found(name, text)
        if not spans:
            if len(self._clean) >= MAX_CLEAN:
                self._clean.clear()
            self._clean.add(name)
        return spans

    def redacting(self, text: str) -> Generator[None, None, str]:
        """`text` without its own secrets and without those that are known; pauses like `find_secrets`."""
        spans = yield from self._own(text)
        return self.without(text, spans)

    def redact_reply(self, text: str, shown: str) -> str:
        """A reply of a model that read `shown`, which holds no secrets: what cannot be mistaken and stands there is
        none, whatever stands before it in the reply.
        """
        spans = _at_once(self._own(text))
        own = [span for span in spans if not _stands(text[slice(*span)], shown)]
        return self.without(text, own)

    def redact(self, text: str) -> str:
        """As `redacting`, at once."""
        return _at_once(self.redacting(text))

    def without(self, text: str, spans: Iterable[Span] = ()) -> str:
        """`text` without its own secrets, which stand at these spans, and without those that are known."""
        everywhere = self._telling_in(text)
        known = [span for secret in everywhere for span in places_of(text, secret)]
        if self._telling:
            known += [span for span, read in encoded_in(text) if self._telling_in(read)]
        spans = apart([*spans, *known])
        if not spans:
            return text
        pieces: list[str] = []
        at = 0
        for start, end in spans:
            secret = text[start:end]
            pieces.extend((text[at:start], placeholder(self._forms.get(secret, secret))))
            at = end
        return "".join((*pieces, text[at:]))


def _stands(secret: str, shown: str) -> bool:
    return is_telling(secret) and any(places_of(shown, secret))


def _at_once(steps: Generator[None, None, Told]) -> Told:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


@lru_cache(MAX_PLACES)
def _places(name: bytes) -> list[tuple[Span, ...]]:
    """Where the secrets stand in the text of this hash, once it was searched: one is read for many summaries."""
    return []


def _found(name: bytes, text: str) -> Generator[None, None, list[Span]]:
    """As `_search`, of a text with this hash; where few stand in it, it is not searched again."""
    places = _places(name)
    if places:
        return [*places[0]]
    spans = yield from _search(text)
    if len(spans) <= FEW_SPANS:
        places.append(tuple(spans))
    return spans


def _search(text: str) -> Generator[None, None, list[Span]]:
    """Where secrets stand in a text, also where it is JSON, or stands behind what begins its lines."""
    plain = unprefixed(text)
    shown = text if plain is None else plain.text
    found = yield from find_read(shown)
    found += yield from find_inside(shown)
    for span, written in encoded_in(shown):
        if (yield from find_secrets(written)) or (yield from find_inside(written)):
            found.append(span)
    found = yield from named_alone(shown, found)
    return apart(found if plain is None else [plain.place(*span) for span in found])


def protect(source: Source, known: Redactor | None = None) -> Generator[None, None, tuple[Source, Redactor]]:
    """The source as a summarizer may see it, without secrets and invisible characters, and what it takes to keep a
    reply so. Yields None between small pieces of work; a source that holds neither comes back with equal entries.

    What is `known` from other sources is replaced as well, and what this one holds is added to it.
    """
    redactor = Redactor() if known is None else known
    entries = [_shown(entry) for entry in source.entries]
    said = [visible(clean(text)) for text in (source.focus, source.system)]
    made = [visible(clean(text)) for text in source.earlier]
    spans: dict[str, list[Span]] = {text: [] for text in made}
    answered: set[str] = set()
    for entry in entries:
        if not isinstance(entry, MessageEntry):
            spans.setdefault(entry.summary.text, [])
            continue
        for text in texts_of(entry):
            spans[text] = yield from redactor.learn(text)
            redactor.note(entry.id, (text[start:end] for start, end in spans[text]))
        answered |= _answered(entry, redactor, spans)
    for text in said:
        spans[text] = yield from redactor.learn(text)
    redactor.weigh(spans)
    _echoed(spans, answered)
    kept: list[Entry] = []
    for entry in entries:
        kept.append(_protected(entry, redactor, spans))
        if isinstance(entry, MessageEntry):
            redactor.note_shown(entry.id, texts_of(kept[-1]))
        yield
    focus, system = (redactor.without(text, spans[text]) for text in said)
    yield
    earlier = [redactor.without(text) for text in made]
    shown = replace(
        source,
        entries=tuple(kept),
        earlier=tuple(earlier),
        focus=focus,
        system=system,
    )
    return shown, redactor


def _answered(entry: MessageEntry, redactor: Redactor, spans: dict[str, list[Span]]) -> set[str]:
    """Add where in a message secrets stand that were asked for; those that are words, and known in no other place."""
    words: set[str] = set()
    for text, span in redactor.asked.answers(entry.message):
        held = [end for start, end in spans.get(text, ()) if text[start - 1 : start] == ":"]
        if span[1] in held:
            continue
        spans[text] = apart([*spans.get(text, ()), span])
        secret = text[slice(*span)]
        if is_word(secret) and entry.message.role != "assistant":
            words.add(secret)
        else:
            redactor.know(secret)
        redactor.note_answer(entry.id, secret)
    redactor.read_on(entry.id, entry.message.role)
    return words


def _echoed(spans: dict[str, list[Span]], answered: set[str]) -> None:
    """Add where else a word stands that was an answer, if that is one place: else it is a word of the subject."""
    for word in answered:
        places = [(text, one) for text in spans for one in places_of(text, word) if one not in spans[text]]
        if len(places) == 1:
            text, one = places[0]
            spans[text] = apart([*spans[text], one])


def _shown(entry: Entry) -> Entry:
    if isinstance(entry, MessageEntry):
        message = _map_message(entry.message, _seen, lambda text: _seen(loosened(text)))
        return replace(entry, message=message)
    return replace(entry, summary=replace(entry.summary, text=_seen(entry.summary.text)))


def _seen(text: str) -> str:
    return visible(shorten(clean(text), HEAD_CHARS, TAIL_CHARS))


def texts_of(entry: Entry) -> Iterator[str]:
    """The texts of an entry in which secrets may stand, each as it is."""
    if not isinstance(entry, MessageEntry):
        yield entry.summary.text
        return
    yield entry.message.name
    for part in entry.message.parts:
        match part:
            case Text(text):
                yield text
            case ToolCall(name=name, arguments=arguments):
                yield from (name, arguments)
            case ToolResult(content=content):
                yield from (inner.text if isinstance(inner, Text) else inner.uri for inner in content)
            case Media(uri=uri):
                yield uri
            case _:
                pass


def _protected(entry: Entry, redactor: Redactor, spans: Mapping[str, list[Span]]) -> Entry:
    replaced = {text: redactor.without(text, spans[text]) for text in texts_of(entry)}
    if all(before == after for before, after in replaced.items()):
        return entry
    if isinstance(entry, MessageEntry):
        return replace(entry, message=_map_message(entry.message, lambda text: replaced.get(text, text)))
    return replace(entry, summary=replace(entry.summary, text=replaced[entry.summary.text]))


def _map_message(message: Message, change: Changing, of_results: Changing | None = None) -> Message:
    parts = tuple(_map_part(part, change, of_results or change) for part in message.parts)
    name = change(message.name)
    same = parts == message.parts and name == message.name
    return message if same else replace(message, parts=parts, name=name)


def _map_part(part: Part, change: Changing, of_results: Changing) -> Part:
    match part:
        case Text() | Media():
            return _map_content(part, change)
        case ToolCall():
            return replace(part, name=change(part.name), arguments=change(part.arguments))
        case ToolResult():
            return replace(part, content=tuple(_map_content(one, of_results) for one in part.content))
        case _:
            return part


def _map_content(part: Text | Media, change: Changing) -> Text | Media:
    if isinstance(part, Text):
        return replace(part, text=change(part.text))
    return replace(part, uri=change(part.uri))
