"""Candidate messages for a question, each with its neighbours, for `search.ranking`.

A question reads some hundred rows, so they come in one statement, and only ranked ones are decoded.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.errors import IntegrityError
from palimpsest.record.message import as_shown
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.retrieval_candidates import Candidate, CandidatePool
from palimpsest.search.word_folding import index_stem
from palimpsest.stores.candidate_choice import (
    AMONG,
    COMMON_HITS,
    MOST_THERE,
    WIDE_HITS,
    any_form,
    best_candidates,
    best_of,
    best_with_neighbours,
    candidates_of_scope,
    empty_positions,
    evenly_spaced,
    is_wide,
    merged,
    neighbour_ranges,
    ranked_count,
    ranked_summaries,
    texts_per_word,
    weights,
    with_neighbours,
)
from palimpsest.stores.checksums import damaged, intact_row
from palimpsest.stores.codec import decode_all_said, decode_said, dumps
from palimpsest.stores.index_terms import indexed
from palimpsest.stores.sqlite.fulltext.index import unindexed_count
from palimpsest.stores.sqlite.fulltext.match_expressions import Bounds, Scope
from palimpsest.stores.sqlite.fulltext.pattern_search import message_scope, place_in
from palimpsest.stores.sqlite.fulltext.vocabulary import known_stems
from palimpsest.stores.sqlite.message_log import (
    Histories,
    find_conversation,
    message_id,
    owner_number,
    row_number,
)
from palimpsest.stores.sqlite.statements import Db
from palimpsest.stores.sqlite.window_rows import summary_id


def recall(
    db: Db,
    owner: str,
    conversation: str | None,
    words: Sequence[Sequence[str]],
    limit: int,
    also: Sequence[str] = (),
    where: Where = ANYWHERE,
) -> CandidatePool:
    """See `Store.recall`."""
    number = find_conversation(db, owner, conversation) if conversation is not None else None
    owner_id = owner_number(db, owner)
    if not owner_id or (conversation is not None and number is None):
        return CandidatePool(0, (0,) * len(words), ())
    words = known_forms(db, words)
    place, narrow = place_in(db, owner_id, number)
    total = (
        db.number("count_conversation_messages", number)
        if number is not None
        else db.number("count_owner_messages", owner_id)
    )
    forms = [Bounds(one, one) for one in map(any_form, words)] or [Bounds(place, place)]
    scope = message_scope(narrow, where)
    matches = [scope.around(one).most for one in forms]
    everything = db.number("newest_message")
    most = ranked_count(total, limit, everything)
    wide = None
    if words and is_wide(total, everything) and where.role is None and not where.timed:
        wide = widely(db, owner_id, number, words, most)
    if wide is not None:
        among, (counts, best) = everything, wide
    else:
        cut = COMMON_HITS if words else MOST_THERE
        postings = [db.numbers("numbers_of_newest_messages", match, cut) for match in matches]
        among, counts = total, texts_per_word(postings, total)
        best = (
            candidates_of_scope(postings, counts, total, most) if words else evenly_spaced(postings[0], most)
        )
    named = [one for public_id in also if (one := row_number(public_id, "m")) is not None]
    places = _places(db, list(dict.fromkeys([*best, *named])))
    found = _around(db, owner_id, places)
    if quiet := empty_positions(found):
        found = merged(found, _around(db, owner_id, quiet))
    if conversation is not None:
        found = [one for one in found if one.conversation == conversation]
    if where.role is None:
        few = ranked_summaries(most)
        covering = _covering(db, narrow, forms, total, most)
        found += _summaries(db, owner_id, covering if where.timed else covering[:few], where)[:few]
    return CandidatePool(among, counts, tuple(found), unindexed_count(db))


def known_forms(db: Db, words: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the known forms of each word; if there are none, its first form, which matches nothing."""
    stems = {form: list(map(index_stem, indexed(form).split())) for forms in words for form in forms}
    known = known_stems(db, {stem for one in stems.values() for stem in one})
    return [[form for form in forms if known.issuperset(stems[form])] or forms[:1] for forms in words]


def widely(
    db: Db, owner_id: int, conversation: int | None, words: Sequence[Sequence[str]], most: int
) -> tuple[tuple[int, ...], list[int]] | None:
    """Return how many of all messages have each word, and the best ones of a scope; None if those of all messages are
    mostly elsewhere.
    """
    everything = db.number("newest_message")
    postings = [db.numbers("numbers_of_newest_messages", any_form(forms), WIDE_HITS) for forms in words]
    counts = texts_per_word(postings, everything, WIDE_HITS)
    held = weights(postings, counts, everything, most * AMONG)
    best = best_of(held, most * AMONG)
    asked = dumps(sorted(with_neighbours(held, best)))
    there = {one: held[one] for one in db.numbers("messages_in_place", asked, owner_id, conversation)}
    mine = [one for one in best if one in there]
    too_few = len(mine) < most and len(best) == most * AMONG
    return None if too_few else (counts, best_with_neighbours(there, mine, most))


def _places(db: Db, numbers: Sequence[int]) -> list[tuple[int, int]]:
    return [(int(row[0]), int(row[1])) for row in db.run("message_places", dumps(numbers))]


def _around(db: Db, owner_id: int, places: Sequence[tuple[int, int]]) -> list[Candidate]:
    """Return the messages at these (branch, position) pairs, and their neighbours."""
    rows = db.run("near_messages", dumps(neighbour_ranges(places)), owner_id).fetchall()
    if (one := damaged(rows, "message")) is not None:
        intact_row(one, "message", f"message {message_id(one['id'])}")
    histories = Histories(db)
    said = _decoded([row["role"] for row in rows], [row["body"] for row in rows])
    return [
        Candidate(
            message_id(number), "message", conversation, branch, seq, role, name, time_s, as_shown(text), tokens,
            histories.hold(home, branch, seq),
        )
        for (number, conversation, branch, seq, role, _, time_s, tokens, home, *_), (name, text) in zip(
            rows, said, strict=True
        )
    ]  # fmt: skip


def _decoded(roles: Sequence[str], bodies: Sequence[str]) -> list[tuple[str, str]]:
    """Return (name, text) of each message."""
    try:
        return decode_all_said(roles, ",".join(bodies))
    except IntegrityError:
        return [decode_said(role, body) for role, body in zip(roles, bodies, strict=True)]


def _covering(db: Db, narrow: Scope, forms: Sequence[Bounds], total: int, most: int) -> list[int]:
    """Return the numbers of the best summaries of a scope. Mostly there are none, so all words are first looked up
    together.
    """
    whole = " OR ".join(one.least for one in forms)
    if not db.numbers("numbers_of_newest_summaries", narrow.around(Bounds(whole, whole)).least, 1):
        return []
    matches = [narrow.around(one).least for one in forms]
    postings = [db.numbers("numbers_of_newest_summaries", match, COMMON_HITS) for match in matches]
    return best_candidates(postings, texts_per_word(postings, total), total, most)


def _summaries(db: Db, owner_id: int, numbers: Sequence[int], where: Where) -> list[Candidate]:
    """Return those of these summaries that cover the requested time, best first."""
    found: list[Candidate] = []
    histories = Histories(db)
    for row in db.run("summary_texts", dumps(numbers), owner_id):
        one = intact_row(row, "summary", f"summary {summary_id(row['id'])}")
        if not where.holds("", one["earliest_s"], one["latest_s"]):
            continue
        place = (one["conversation"], 0, one["last_seq"])
        current = histories.hold(one["conversation_id"], one["branch_id"], one["last_seq"])
        said = ("", "", one["latest_s"], one["body"], one["tokens"])
        found.append(Candidate(summary_id(one["id"]), "summary", *place, *said, current))
    return found
