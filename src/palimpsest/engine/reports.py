"""What the engine tells its callers: frozen values, nothing to call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal

from palimpsest.record.store_values import not_searched
from palimpsest.record.times import iso_time

if TYPE_CHECKING:
    from palimpsest.record.decision import Budget, Decision
    from palimpsest.record.log import Numbers
    from palimpsest.record.message import Part
    from palimpsest.record.summary import Method, SummaryCall
    from palimpsest.record.window import Window
    from palimpsest.summarize.retained_strings import Evidence
if TYPE_CHECKING:
    from palimpsest.record.store_values import ConversationRow
if TYPE_CHECKING:
    from palimpsest.ports import StoreStats
    from palimpsest.record.spending import Spending


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
    """What one compaction did. Tokens are of the whole request, before and after; messages that came meanwhile are in
    neither. `stubs` and `omitted` count results shortened and messages dropped, `omitted_summarized` those of the
    latter that had left before and for which a summary stood.

    `evidence_kept` and `evidence_left` count exact strings (paths, commands, ids, numbers) of what was replaced that
    the new window holds, or that are a search away; `evidence` has both for each kind, and which left. Replaced were
    `replaced_messages` that stood in the window, and `replaced_summaries`, of which only their own strings count.

    `failure` is why a model could not be asked, where what it should have summarized was left as it is; `refused` why
    none of its replies was taken, where rules wrote the summary. `asked` has the calls, `calls` counts them. `net_cost`
    is by how many dollars the conversation cost more until now (less, below 0) than without compactions, `net_units`
    the same in uncached input tokens; None before its first call.
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
        """What compacting has cost or saved until now, in words: "net -$0.41 so far"; "" before the first call."""
        from palimpsest.record.spending import told_net

        return told_net(self.net_cost, self.net_units)

    @property
    def summary(self) -> str:
        """The text of the newest summary, for a hand-off; "" where none was made."""
        return self.summaries[-1].text if self.summaries else ""


@dataclass(frozen=True, slots=True)
class Watcher:
    """Told of each compaction of a conversation. What it raises ends the compaction: before it, with nothing done.

    One with a `who` is told of background work that outlasts it as well, until another of the same `who` watches.
    """

    before: Callable[[Decision], Awaitable[None]]
    after: Callable[[Report], Awaitable[None]]
    who: object = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something the background did. `report` is set when it compacted; `message` says what failed, or why automatic
    compaction rests.
    """

    kind: EventKind
    conversation: str
    report: Report | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class WindowView:
    """A window as it stands, with the budget of the request it makes."""

    conversation: str
    window: Window
    budget: Budget
    system: str


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls to models that were paid for: prompts, of which so much came from a cache or went into one, and dollars."""

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    never_cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts over one owner's data. `summaries_by_method` tells how often summarizing had to escalate; `done` counts
    what this engine did since it was opened, by the names of `record.seen`.
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


@dataclass(frozen=True, slots=True)
class Synced:
    """The branch a resent history is on. `added` messages were new; `forked` says that an edit made a new branch."""

    conversation: str
    branch_id: int
    messages: int
    added: int
    forked: bool


@dataclass(frozen=True, slots=True)
class Imported:
    """What importing one transcript did. `messages`, calls and results are of the current history; `added` are new.

    `compactions` counts the transcript's own that were taken over now; `notes` says which were not, and why.
    """

    conversation: str
    messages: int
    added: int
    tool_calls: int
    tool_results: int
    branches: int
    compactions: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit. `rank` is BM25: lower is better. `tokens` counts its text, `expand_tokens` what expanding it gives: of a
    summary, what it was made from. It is, or covers, the `covers` messages from `first_id` to `last_id`. Not
    `current`: an edit or a rewind of the history left it behind.
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
    """Hits in order, best first, and how many there are in all. It can be used as a sequence of its hits.

    Not `complete`: there are more than `total`, among older texts that were not looked at. `weighed`: the order is
    that of so many, the newest. `unknown`: where nothing was found, the words that alone find nothing either;
    `leaves_out`: the pattern says only what is not to be found. `left_out` texts, at most, were not searched.
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
        """What is to be known of the answer besides its hits, as sentences."""
        said: list[str] = []
        if not self.complete:
            said.append(
                f"at least {self.total:,}: older texts were not looked at; narrow the time or the conversation"
            )
        if self.weighed < self.total:
            said.append(f"in the order of the newest {self.weighed:,}")
        if self.unknown:
            said.append(f"found nowhere: {', '.join(self.unknown)}")
        return (*said, *not_searched(self.left_out))

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit of a question, with a little of what stands around it, as a text for a model. A higher `score` is better;
    scores compare within one answer only. `tokens` counts the text. What an edit or a rewind of the history left behind
    is not `current`, and the text says so. `expand_tokens` is what all of the message, or of the summary's text, costs.
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
    """Passages, best first. It can be used as a sequence of them; `text` is all of them, ready for a model. `note` says
    why an embedder did not help, "" where it did or there is none; `left_out` texts, at most, were not searched.
    """

    passages: tuple[Passage, ...]
    note: str = ""
    left_out: int = 0

    @property
    def tokens(self) -> int:
        """What all of them cost."""
        return sum(one.tokens for one in self.passages)

    @property
    def text(self) -> str:
        """All of them, best first, with a blank line between."""
        return "\n\n".join(one.text for one in self.passages)

    def __len__(self) -> int:
        return len(self.passages)

    def __getitem__(self, index: int) -> Passage:
        return self.passages[index]


@dataclass(frozen=True, slots=True)
class Entry:
    """A message or a summary, read back. `sources` are the ids a summary was made from, `tokens` what all of it costs.

    One that was larger than the budget comes in pieces: `before_chars` and `after_chars` tell what of it is not in this
    one. `left_out_tokens` is about what the results hold that were not asked for. What an
    edit or a rewind of the history left behind is not `current`.
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
    """What was read back, in order. It can be used as a sequence of its entries. `cursor` goes on where a budget ended
    it, "" where all was read. `missing` are the ids that name nothing here; `note` says so, "" where all were found.
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
    """A line of a summary, and the ids of the messages that hold what it says, oldest first; or of the earlier summary
    that it was taken from.
    """

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
    """What lies under an id, before paying for it.

    `tokens_by_level` maps a level to the cost of reading all of it: 0 is the messages, 1 the leaves, and so
    on up to the id itself; `counts_by_level` says how many there are. `files` are paths found in the messages beneath,
    where those are many only in the summaries (`all_files` False). `children` are the ids it was made from.
    `result_tokens` is about what of the messages is results of tools, None where they are too many to be looked at.
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


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A conversation as listed. `updated_at` is ISO 8601 in UTC."""

    id: str
    title: str
    messages: int
    tokens: int
    window_tokens: int
    updated_at: str
    parent: str = ""


def as_listed(row: ConversationRow) -> ConversationInfo:
    """What the store says of a conversation, for callers."""
    return ConversationInfo(
        row.name, row.title, row.messages, row.tokens, row.window_tokens, iso_time(row.updated_s), row.parent
    )


def stats_of(found: StoreStats, spending: Sequence[Spending], done: Mapping[str, int]) -> Stats:
    """All of them in one value."""
    return Stats(
        messages=found.messages,
        tokens=found.tokens,
        conversations=found.conversations,
        summaries_by_depth=dict(found.summaries_by_depth),
        compactions=found.compactions,
        size_bytes=found.size_bytes,
        summaries_by_method=dict(found.summaries_by_method),
        replies=_calls(one for one in spending if one.kind == "reply"),
        summarizing=_calls(one for one in spending if one.kind == "summary"),
        done=dict(sorted(done.items())),
        to_index=found.to_index,
    )


def _calls(spending: Iterable[Spending]) -> Calls:
    sums = list(spending)
    return Calls(**{one.name: sum(getattr(part, one.name) for part in sums) for one in fields(Calls)})
