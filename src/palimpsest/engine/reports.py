"""The values that the engine returns to its callers: frozen, with nothing to call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal

from palimpsest.errors import NotFound, UsageError
from palimpsest.record.conversation_source import source_of
from palimpsest.record.store_values import not_searched
from palimpsest.record.times import iso_time

if TYPE_CHECKING:
    from palimpsest.ports import StoreStats
    from palimpsest.record.decision import Budget, Decision
    from palimpsest.record.log import Numbers
    from palimpsest.record.message import Part
    from palimpsest.record.spending import Spending
    from palimpsest.record.store_values import ConversationRow
    from palimpsest.record.summary import Method, SummaryCall
    from palimpsest.record.window import Window
    from palimpsest.summarize.retained_strings import Evidence

EventKind = Literal["compacted", "failed", "paused"]


@dataclass(frozen=True, slots=True)
class MadeSummary:
    """A summary that a compaction made. `covers` counts the messages beneath it, first_id to last_id."""

    id: str
    depth: int
    tokens: int
    method: Method
    first_id: str
    last_id: str
    covers: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What one compaction did.

    Tokens are of the whole request before and after, without messages that came meanwhile. `stubs` and `omitted` count
    shortened results and dropped messages; `omitted_summarized` of the latter stood under a summary before.

    `evidence` counts exact strings (paths, commands, ids, numbers) of what was replaced, by kind: `evidence_kept` of
    them are in the new window, `evidence_left` can only be searched. `replaced_messages` and `replaced_summaries` count
    the window items that were replaced; of a summary only its own strings count.

    `failure` says why no model could be asked, `refused` why no reply was used and the summary was made by rules.
    `asked` has the calls, and `calls` is their number. `net_cost` is how many dollars more (less, below 0) the
    conversation has cost than without compactions, `net_units` the same in uncached input tokens; both are None before
    its first call.
    """

    conversation: str
    reason: str
    before_tokens: int
    after_tokens: int
    summaries: tuple[MadeSummary, ...] = ()
    stubs: int = 0
    omitted: int = 0
    omitted_summarized: int = 0
    evidence_kept: int = 0
    evidence_left: int = 0
    evidence: tuple[Evidence, ...] = ()
    replaced_messages: int = 0
    replaced_summaries: int = 0
    calls: int = 0
    numbers: Numbers = ()
    failure: str = ""
    refused: str = ""
    net_cost: float | None = None
    net_units: float | None = None
    asked: tuple[SummaryCall, ...] = ()

    @property
    def net(self) -> str:
        """What compacting has cost or saved until now: "net -$0.41 so far"; "" before the first call."""
        from palimpsest.record.spending import told_net

        return told_net(self.net_cost, self.net_units)

    @property
    def summary(self) -> str:
        """The text of the newest summary, for a hand-off; "" if none was made."""
        return self.summaries[-1].text if self.summaries else ""


@dataclass(frozen=True, slots=True)
class Watcher:
    """Callbacks before and after each compaction of a conversation. What one raises ends the compaction.

    A watcher with a `who` also hears of background work that outlasts it, until another of the same `who` watches.
    """

    before: Callable[[Decision], Awaitable[None]]
    after: Callable[[Report], Awaitable[None]]
    who: object = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something the background did. `report` is set after a compaction; `message` says what failed, or why automatic
    compaction rests.
    """

    kind: EventKind
    conversation: str
    report: Report | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class WindowView:
    """A window with the budget of the request it makes."""

    conversation: str
    window: Window
    budget: Budget
    system: str


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A conversation in a list. `updated_at` is ISO 8601 in UTC. `agent` is the program that held it, by the name of
    its transcripts' format, and `folder` where it worked, "" if unknown.
    """

    id: str
    title: str
    messages: int
    tokens: int
    window_tokens: int
    updated_at: str
    parent: str = ""
    agent: str = ""
    folder: str = ""


LAST = "last"
_NAMED = 4


def find_conversation(
    given: str,
    known: Sequence[ConversationInfo],
    hint: str = 'palimpsest list shows their ids; "last" is the newest',
) -> ConversationInfo:
    """The conversation with this id, the only one whose id begins so, or "last": the newest that no other one spawned.

    `known` is newest first. Each part of an id between slashes may be shortened. Raises NotFound, and UsageError if
    several ids begin so.
    """
    exact = [one for one in known if one.id == given]
    if given == LAST and known and not exact:
        return next((one for one in known if not one.parent), known[0])
    short = [one for one in known if given and is_short_for(given, one.id)]
    matches = exact or short or [one for one in known if given and one.id.startswith(given)]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        stored = "" if known else ": nothing is stored yet"
        raise NotFound(f"no conversation {given[:80]!r}{stored}", hint=hint)
    names = ", ".join(one.id for one in matches[:_NAMED]) + " ..." * (len(matches) > _NAMED)
    raise UsageError(
        f"{len(matches):,} conversations begin with {given!r}: {names}", hint="type more of the id"
    )


def is_short_for(short: str, one: str) -> bool:
    """Whether `short` is a short form of the id `one`: each part is a prefix."""
    own, other = short.split("/"), one.split("/")
    return len(own) == len(other) and all(map(str.startswith, other, own))


def as_listed(row: ConversationRow, memo: str = "") -> ConversationInfo:
    """A store's row and memo as a ConversationInfo."""
    updated_at = iso_time(row.updated_s)
    source = source_of(memo)
    return ConversationInfo(
        row.name, row.title, row.messages, row.tokens, row.window_tokens, updated_at, row.parent, *source
    )


@dataclass(frozen=True, slots=True)
class Calls:
    """Sums over paid model calls: prompt tokens, those read from a cache or written to it, and dollars."""

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    never_cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts over one owner's data. `summaries_by_method` shows how often summarizing had to escalate; `done` counts
    the events (`record.events`) of this engine since it was opened.
    """

    messages: int
    tokens: int
    conversations: int
    summaries_by_depth: dict[int, int]
    compactions: int
    size_bytes: int
    summaries_by_method: dict[str, int] = field(default_factory=dict[str, int])
    replies: Calls = Calls()
    summarizing: Calls = Calls()
    done: dict[str, int] = field(default_factory=dict[str, int])
    to_index: int = 0


def stats_of(found: StoreStats, spending: Sequence[Spending], done: Mapping[str, int]) -> Stats:
    """The counts of a store, its spending, and an engine's events as one value."""
    return Stats(
        messages=found.messages,
        tokens=found.tokens,
        conversations=found.conversations,
        summaries_by_depth=dict(found.summaries_by_depth),
        compactions=found.compactions,
        size_bytes=found.size_bytes,
        summaries_by_method=dict(found.summaries_by_method),
        replies=_sum_calls(one for one in spending if one.kind == "reply"),
        summarizing=_sum_calls(one for one in spending if one.kind == "summary"),
        done=dict(sorted(done.items())),
        to_index=found.to_index,
    )


def _sum_calls(spending: Iterable[Spending]) -> Calls:
    parts = list(spending)
    return Calls(**{one.name: sum(getattr(part, one.name) for part in parts) for one in fields(Calls)})


@dataclass(frozen=True, slots=True)
class Synced:
    """The branch of a history that was sent again. `added` messages were new; `forked` means a new branch. Of a history
    that the client shortened, `compactions` counts its own summaries that were adopted, and `notes` explains others.
    """

    conversation: str
    branch_id: int
    messages: int
    added: int
    forked: bool
    compactions: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What importing one transcript did. The first counts are of its current history; `added` counts new messages on
    all branches. `compactions` counts those of its own that were adopted; `notes` explains the others. `left_out`
    counts the transcript's records that gave no message, by kind.
    """

    conversation: str
    messages: int
    added: int
    tool_calls: int
    tool_results: int
    branches: int
    compactions: int = 0
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit of a pattern. `rank` is BM25: lower is better. `tokens` counts its text, `expand_tokens` what expanding
    it gives. It is, or covers, the `covers` messages from `first_id` to `last_id`. It is not `current` if an edit or a
    rewind replaced it.
    """

    id: str
    kind: Literal["message", "summary"]
    conversation: str
    role: str
    time: str
    rank: float
    depth: int
    snippet: str
    tokens: int
    covers: int = 1
    first_id: str = ""
    last_id: str = ""
    current: bool = True
    expand_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Hits:
    """Hits, best first, and how many there are in `total`; a sequence of its hits.

    Not `complete`: older texts were not searched, and may have more. `weighed`: only so many, the newest, were ranked.
    `unknown`: if nothing was found, the words that find nothing alone. `leaves_out`: the pattern only excludes.
    `left_out`: at most so many texts were not searched.
    """

    total: int
    hits: tuple[Hit, ...]
    complete: bool = True
    weighed: int = 0
    unknown: tuple[str, ...] = ()
    leaves_out: bool = False
    left_out: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the answer, as sentences."""
        notes: list[str] = []
        if not self.complete:
            notes.append(
                f"at least {self.total:,}: older texts were not looked at; narrow the time or the conversation"
            )
        if self.weighed < self.total:
            notes.append(f"in the order of the newest {self.weighed:,}")
        if self.unknown:
            notes.append(f"found nowhere: {', '.join(self.unknown)}")
        return (*notes, *not_searched(self.left_out))

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit of a question with some context, as a text for a model. A higher `score` is better, within one answer.

    `tokens` counts the text, `expand_tokens` the whole message or summary. It is not `current` if an edit or a rewind
    replaced it, and its text says so.
    """

    id: str
    kind: Literal["message", "summary"]
    conversation: str
    score: float
    text: str
    tokens: int
    role: str = ""
    time: str = ""
    current: bool = True
    expand_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Passages:
    """A sequence of passages, best first. `note`: why an embedder did not help; `left_out`: texts not searched."""

    passages: tuple[Passage, ...]
    note: str = ""
    left_out: int = 0

    @property
    def tokens(self) -> int:
        """The tokens of all passages."""
        return sum(one.tokens for one in self.passages)

    @property
    def text(self) -> str:
        """All passages, with a blank line between them."""
        return "\n\n".join(one.text for one in self.passages)

    def __len__(self) -> int:
        return len(self.passages)

    def __getitem__(self, index: int) -> Passage:
        return self.passages[index]


@dataclass(frozen=True, slots=True)
class Entry:
    """A message or a summary that was read back. `sources` are the ids that a summary was made from, `tokens` its
    whole size.

    One larger than the budget comes in pieces: `before_chars` and `after_chars` are not in this one. `left_out_tokens`
    is about the size of tool results that were not asked for. It is not `current` if an edit or a rewind replaced it.
    """

    id: str
    kind: Literal["message", "summary"]
    conversation: str
    role: str
    time: str
    text: str
    parts: tuple[Part, ...]
    sources: tuple[str, ...]
    tokens: int
    depth: int = 0
    before_chars: int = 0
    after_chars: int = 0
    left_out_tokens: int = 0
    current: bool = True


@dataclass(frozen=True, slots=True)
class Entries:
    """What was read back, in order; a sequence of its entries. `cursor` continues after a budget's end, "" at the end
    of all. `missing` are ids that name nothing here, and `note` says so.
    """

    entries: tuple[Entry, ...]
    cursor: str = ""
    missing: tuple[str, ...] = ()
    note: str = ""

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: int) -> Entry:
        return self.entries[index]


@dataclass(frozen=True, slots=True)
class Traced:
    """A line of a summary, and the ids of the messages (or of the earlier summary) that it comes from, oldest first."""

    line: str
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """Where the lines of a summary come from."""

    id: str
    conversation: str
    lines: tuple[Traced, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """What lies under an id, before reading it.

    `tokens_by_level` maps a level to the cost of reading all of it: 0 is the messages, 1 the leaves, and so on up to
    the id itself; `counts_by_level` says how many there are. `files` are paths named in the messages beneath, or only
    in the summaries if those are many (`all_files` False). `children` are the ids it was made from. `result_tokens` is
    about the share of tool results in the messages, None if they are too many.
    """

    id: str
    kind: Literal["message", "summary"]
    conversation: str
    depth: int
    first_time: str
    last_time: str
    messages: int
    tokens_by_level: dict[int, int]
    files: tuple[str, ...]
    children: tuple[str, ...]
    counts_by_level: dict[int, int] = field(default_factory=dict[int, int])
    all_files: bool = True
    result_tokens: int | None = None
