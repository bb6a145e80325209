"""Pattern search in the word index, within one conversation or over all of an owner's.

An index row has words for its conversation, owner, role and time, so the index itself applies the scope. What the
index cannot decide exactly (`match_expressions`) is read and compared with the query. All matches are counted; above
`RANKED` the newest are ranked.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from palimpsest.budget.token_counts import text_tokens
from palimpsest.errors import IntegrityError
from palimpsest.ports import Found, FoundAll
from palimpsest.record.message import searchable_text
from palimpsest.search.filters import Where
from palimpsest.search.query_grammar import Node, Query, leaves, with_literal_names, with_literal_signs
from palimpsest.search.query_matching import Body, matches
from palimpsest.search.rank_fusion import ranked_behind
from palimpsest.stores.checksums import intact_row
from palimpsest.stores.codec import dumps, storable
from palimpsest.stores.index_terms import LAST_HOUR, NOTHING, any_scope, hour_of, hours_between
from palimpsest.stores.sqlite.branch_ranges import segments
from palimpsest.stores.sqlite.fulltext.bitmap_search import BitmapMatches, bitmap_matches, holds_many, keeps
from palimpsest.stores.sqlite.fulltext.bm25 import counted_for, ranks_of
from palimpsest.stores.sqlite.fulltext.index import unindexed_count
from palimpsest.stores.sqlite.fulltext.match_expressions import Bounds, Scope, bounds, by_words
from palimpsest.stores.sqlite.fulltext.newest_matches import LARGE, MESSAGES, SUMMARIES, Finder, Statements
from palimpsest.stores.sqlite.fulltext.reader_connections import ScanHelper, TextReaders
from palimpsest.stores.sqlite.fulltext.vocabulary import Vocabulary
from palimpsest.stores.sqlite.message_log import (
    Histories,
    find_conversation,
    message_id,
    owner_number,
    to_stored,
)
from palimpsest.stores.sqlite.statements import Db
from palimpsest.stores.sqlite.window_rows import summary_id

RANKED = 2_000
"""Above this many matches, only the newest ones are ranked."""

SMALL = 100_000
SMALL_SHARE = 4
"""A scope of this many messages, or at most a fourth of all, stays in the ranked expression."""

SEVERAL = 4
"""An OR of at least this many words uses bitmaps if they exist: an index scans the lists of all."""

MOST_OTHERS = 8
"""The most other owners that are listed to the index."""

LOOKED_AT = 2_000
MOST_LOOKED_AT = 5_000
"""Uncertain texts that are read, newest first; more if too few were found."""

NAMED_LOOKED_AT = 100
NAMED_CHARS = 1_000_000
"""Best matches for a name that are read to see whether they have it as typed; fewer if they are long."""


@dataclass(frozen=True, slots=True)
class _Index:
    """One of the two word indexes, by the names of its statements."""

    newest: str
    ranked: str
    rank: str
    ask: Statements


_MESSAGES = _Index("newest_messages", "newest_ranked_messages", "rank_messages", MESSAGES)
_SUMMARIES = _Index("newest_summaries", "newest_ranked_summaries", "rank_summaries", SUMMARIES)


@dataclass(slots=True)
class _Matches:
    """The result of one index: row numbers with their rank, how many match, and whether that is all."""

    total: int = 0
    complete: bool = True
    ranks: dict[int, float] = field(default_factory=dict[int, float])


@dataclass(slots=True)
class _Search:
    """One search. `asked` is the query; `words` and `root` are the same without matches inside of words."""

    db: Db
    known: Vocabulary
    owner: str
    query: Query
    root: Node
    where: Where
    limit: int
    narrow: Scope
    asked: Bounds
    words: Bounds
    histories: Histories
    helper: ScanHelper | None
    readers: TextReaders | None
    large: int

    def matches(self, index: _Index, scope: Scope, holds: Callable[[int], bool]) -> _Matches:
        """Return all matches in one index, with the best or the newest of them ranked.

        An expression is evaluated as rarely as possible: a phrase of frequent words takes 30 ms each time among
        1,000,000 messages. Mostly matching and ranking are one statement; for such phrases the texts are read.
        """
        found = scope.around(self.asked).least
        accepted, complete = self._looked_at(index, scope.unsure(self.asked), holds)
        finder = Finder(self.db, self.helper, index.ask, self.large, self._by_bits(index, scope, found))
        counted = counted_for(self.root) if index is _MESSAGES and finder.divides else tuple[str, ...]()
        phrase = next((one for one in counted if " " in one), "")
        if not accepted and scope.small and self.words.most == self.asked.most and not phrase:
            ranks = {int(row[0]): _rank(row[1]) for row in self.db.run(index.ranked, found, RANKED)}
            more = finder.besides(found, RANKED, helper_share=0.5)() if len(ranks) == RANKED else 0
            return _Matches(len(ranks) + more, complete, ranks)
        newest_first = self._from_bitmaps(finder, phrase, scope)
        newest, besides = newest_first or finder.newest_of(found, RANKED, halved=bool(phrase))
        kept = newest if not accepted else sorted({*newest, *accepted}, reverse=True)[:RANKED]
        ahead, more = None, besides
        if counted and kept:
            reading = ranks_of(
                self.known, counted, kept, self.readers if phrase and newest_first is None else None
            )
            total = besides()
            ahead, more = reading(), lambda: total
        if ahead is None:
            ahead = self._weighed(index, self.words.most, kept)
        rest = [one for one in kept if one not in ahead]
        if len(ahead) >= max(self.limit, NAMED_LOOKED_AT) and not accepted:
            inside = dict.fromkeys(rest, 0.0)  # none of these is among the hits
        else:
            inside = self._weighed(index, self.asked.inside or self.asked.most, rest)
        return _Matches(len(newest) + more() + len(accepted), complete, ranked_behind(ahead, inside))

    def _from_bitmaps(
        self, finder: Finder, phrase: str, scope: Scope
    ) -> tuple[list[int], Callable[[], int]] | None:
        """See `Finder.newest_of`, for a stored phrase and for an OR of several words. Return None if the index must
        be scanned, or is faster because the scope is small.
        """
        if not finder.divides or (scope.least and scope.small):
            return None
        if phrase:
            kept = keeps(self.db, phrase)
        else:
            kept = len(self.asked.words) > SEVERAL or holds_many(self.db, self.query.root)
        fitting = finder.by_bits() if kept else None
        if fitting is None:
            return None
        newest = fitting.newest(RANKED)
        return newest, lambda: max(0, fitting.total() - len(newest))

    def _by_bits(self, index: _Index, scope: Scope, found: str) -> Callable[[], BitmapMatches | None]:
        """Return the matches from bitmaps, if possible."""
        place = scope.words
        if index is not _MESSAGES or place is None or not self.asked.exact:
            return lambda: None
        return lambda: bitmap_matches(self.known, self.query.root, place, found)

    def _looked_at(self, index: _Index, unsure: str, holds: Callable[[int], bool]) -> tuple[set[int], bool]:
        """Return which of the uncertain texts match, and whether all of them were read."""
        accepted = set[int]()
        if not unsure:
            return accepted, True
        rows = self.db.run(index.newest, unsure, MOST_LOOKED_AT + 1)
        for looked_at, row in enumerate(rows):
            enough = looked_at >= LOOKED_AT and len(accepted) >= self.limit
            if enough or looked_at >= MOST_LOOKED_AT:
                return accepted, False
            if holds(row[0]):
                accepted.add(int(row[0]))
        return accepted, True

    def _weighed(self, index: _Index, matching: str, kept: Sequence[int]) -> dict[int, float]:
        """Return BM25 of these rows, as far as they match.

        SQLite counts all texts with each word of the expression. The name of a large scope, a role or a time is very
        frequent, so these are left out. Matches elsewhere are skipped, not ranked.
        """
        if not kept:
            return {}
        narrowed = self.narrow.around(Bounds(matching, matching)).most if self.narrow.small else matching
        rows = self.db.run(index.rank, narrowed, min(kept), max(kept), dumps(kept))
        return {row[0]: _rank(row[1]) for row in rows}

    def fits(self, text: str, role: str, earliest_s: float | None, latest_s: float | None) -> bool:
        """Return whether a text matches."""
        return self.where.holds(role, earliest_s, latest_s) and matches(
            self.query.root, Body.of(storable(text))
        )

    def message_fits(self, number: int) -> bool:
        """Return whether a message matches."""
        row = self.db.row("owner_messages", number, self.owner)
        if row is None:
            return False
        said = to_stored(row, row["closed_seq"]).message
        return self.fits(searchable_text(said), said.role, said.time_s, said.time_s)

    def summary_fits(self, number: int) -> bool:
        """Return whether a summary matches."""
        row = self.db.row("owner_summaries", number, self.owner)
        return row is not None and self.fits(row["body"], "", row["earliest_s"], row["latest_s"])

    def named(self, ranks: dict[int, float], read: Callable[[int, float], Found | None]) -> dict[int, float]:
        """Return the ranks with names as typed before other forms, those with their punctuation first."""
        root, are_words = self.query.root, self.known.has_words
        typed, letter = with_literal_names(root, are_words), with_literal_signs(root, are_words)
        looked_at = heapq.nsmallest(NAMED_LOOKED_AT, ((rank, -row) for row, rank in ranks.items()))
        ahead: dict[int, float] = {}
        exact: set[int] = set()
        left = NAMED_CHARS
        for rank, row in looked_at:
            found = read(-row, rank)
            if found is None:
                continue
            left -= len(found.text)
            if left < 0:
                break
            body = Body.of(storable(found.text))
            if matches(typed, body):
                ahead[-row] = rank
                exact |= {-row} if matches(letter, body) else set()
        found_so = ranked_behind(ahead, {row: rank for row, rank in ranks.items() if row not in ahead})
        first = {row: rank for row, rank in found_so.items() if row in exact}
        return ranked_behind(first, {row: rank for row, rank in found_so.items() if row not in exact})

    def message(self, number: int, rank: float) -> Found | None:
        """Return a message as a hit."""
        row = self.db.row("owner_messages", number, self.owner)
        if row is None:
            return None
        stored = to_stored(row, row["closed_seq"])
        said = stored.message
        return Found(
            stored.id, "message", row["conversation"], said.role, said.time_s, rank, 0, searchable_text(said),
            stored.tokens, 1, stored.id, stored.id,
            self.histories.hold(row["conversation_id"], row["branch_id"], stored.seq),
            text_tokens(said, stored.tokens),
        )  # fmt: skip

    def summary(self, number: int, rank: float) -> Found | None:
        """Return a summary as a hit."""
        row = self.db.row("owner_summaries", number, self.owner)
        if row is None:
            return None
        intact_row(row, "summary", f"summary {summary_id(number)}")
        branch, first, last = row["branch_id"], row["first_seq"], row["last_seq"]
        under = row["message_tokens"] if row["depth"] == 0 else self.db.number("tokens_of_sources", number)
        return Found(
            summary_id(number), "summary", row["conversation"], "", row["latest_s"], rank, row["depth"], row["body"],
            row["tokens"], last - first + 1, self._at(branch, first), self._at(branch, last),
            self.histories.hold(row["conversation_id"], branch, last), under,
        )  # fmt: skip

    def _at(self, branch_id: int, seq: int) -> str:
        """Return the id of the message at a position of a branch's history."""
        for branch, first, _ in segments(self.db, branch_id, seq, seq):
            return message_id(self.db.number("message_at", branch, first))
        return ""


def search(
    db: Db, owner: str, conversation: str | None, query: Query, where: Where, limit: int, small: int = SMALL,
    helper: ScanHelper | None = None, readers: TextReaders | None = None, large: int = LARGE,
) -> FoundAll:  # fmt: skip
    """See `Store.search`. A scope of up to `small` messages is small; an index of `large` rows is scanned in parts;
    `helper` and `readers` work meanwhile.
    """
    number = find_conversation(db, owner, conversation) if conversation is not None else None
    owner_id = owner_number(db, owner)
    if not owner_id or (conversation is not None and number is None):
        return FoundAll(0, ())
    place, narrow = place_in(db, owner_id, number, small)
    known = Vocabulary(db)
    asked = bounds(known, query.root, place)
    root = by_words(known, query.root)
    words = bounds(known, root, place) if root != query.root else asked
    one = _Search(
        db, known, owner, query, root, where, limit, narrow, asked, words, Histories(db), helper, readers, large,
    )  # fmt: skip
    messages, summaries = _Matches(), _Matches()
    if where.scope != "summary":
        messages = one.matches(_MESSAGES, message_scope(narrow, where), one.message_fits)
    if where.scope != "message" and where.role is None:
        scope = replace(narrow, least=NOTHING, small=False) if where.timed else narrow
        summaries = one.matches(_SUMMARIES, scope, one.summary_fits)
    if _names_loosely(known, query):
        messages.ranks = one.named(messages.ranks, one.message)
        summaries.ranks = one.named(summaries.ranks, one.summary)
    best = heapq.nsmallest(
        limit,
        (
            (rank, kind, -row)
            for kind, found in enumerate((messages, summaries))
            for row, rank in found.ranks.items()
        ),
    )
    hits = [(one.summary if kind else one.message)(-row, rank) for rank, kind, row in best]
    total = messages.total + summaries.total
    return FoundAll(
        total,
        tuple(hit for hit in hits if hit is not None),
        complete=messages.complete and summaries.complete,
        weighed=len(messages.ranks) + len(summaries.ranks),
        left_out=unindexed_count(db),
    )


def _names_loosely(known: Vocabulary, query: Query) -> bool:
    """Return whether the query asks for a name, and the index matches its stem rather than its form or punctuation."""
    for term, wanted in leaves(query.root):
        if not wanted:
            continue
        typed = with_literal_names(term, known.has_words)
        if with_literal_signs(term, known.has_words) != typed:
            return True
        if typed != term and known.has_other_forms(term.words):
            return True
    return False


def place_in(db: Db, owner: int, conversation: int | None, small: int = SMALL) -> tuple[str, Scope]:
    """Return an expression that matches everything in the scope, and the cheapest way to restrict a match to it:
    nothing if there is nothing else, or what is not in it if that is less.
    """
    if conversation is not None:
        word = f"c{conversation}"
        place = any_scope([word])
        if not db.number("other_conversations", conversation):
            return place, Scope(words=(word,))
        own = db.number("count_conversation_messages", conversation)
        return place, Scope(place, place, small=_is_small(db, own, small), words=(word,))
    word = f"o{owner}"
    place = any_scope([word])
    others = [int(row[0]) for row in db.run("other_owners", owner, MOST_OTHERS + 1)]
    if not others:
        return place, Scope(words=(word,))
    own = db.number("count_owner_messages", owner)
    theirs = sum(db.number("count_owner_messages", one) for one in others)
    if len(others) > MOST_OTHERS or theirs > own:
        return place, Scope(place, place, small=_is_small(db, own, small), words=(word,))
    without = any_scope(f"o{one}" for one in others)
    return place, Scope(without=without, small=_is_small(db, theirs, small), words=(word,))


def _is_small(db: Db, messages: int, small: int) -> bool:
    """Return whether counting this many messages for a rank is cheap, or cheaper than skipping all others."""
    return messages <= small or messages * SMALL_SHARE <= db.number("newest_message")


def message_scope(narrow: Scope, where: Where) -> Scope:
    """Return the scope, role and time; times are exact except for the hours at their ends."""
    parts = [narrow.least] if narrow.least else []
    if where.role is None and not where.timed:
        return narrow
    roles = [where.role] if where.role is not None else []
    if roles:
        parts.append(any_scope(roles))
    if not where.timed:
        place = " AND ".join(parts)
        words = None if narrow.words is None else (*narrow.words, *roles)
        return Scope(place, place, narrow.without, small=False, words=words)
    inside, ends = _hours(where)
    sure, perhaps, edge = (
        " AND ".join([*parts, f"({any_scope(hours)})"]) for hours in (inside, [*inside, *ends], ends)
    )
    return Scope(sure, perhaps, narrow.without, edge, small=False, words=None)


def _hours(where: Where) -> tuple[list[str], list[str]]:
    """Return words for the whole hours between the bounds, and for those at their ends."""
    first, last = 0, LAST_HOUR
    if where.since_s is not None:
        first = hour_of(where.since_s)
    if where.before_s is not None:
        last = hour_of(where.before_s)
    ends = {first, last}
    return hours_between(first + 1, last), [f"t0x{hour}" for hour in sorted(ends)]


def _rank(value: object) -> float:
    """Return a rank of the index. Raises IntegrityError if a damaged index gives none."""
    if not isinstance(value, float | int):
        raise IntegrityError("the word index is damaged", hint="`palimpsest doctor --fix` rebuilds it")
    return float(value)
