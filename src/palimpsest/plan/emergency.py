"""The last resort after a provider refused a request as too long: drop the oldest half of the turns, with a note.

Source: the page on PicoClaw's context architecture, "Emergency compression". The cut lies before a user message. A
single turn keeps only the newest user message. What is dropped stays in the store, and the note names it.

- A single turn whose tool group is in progress keeps that group too, shortened to a quarter where nothing else is left
  to drop: a model that sees neither its call nor the result makes the same call again. Only where it cannot be made
  shorter, and where turns are cut as the page has it, does it go as well.
- No tool group is torn: one in which the user spoke goes as a whole with the later half.
- Where the older half has nothing that may go, or not enough to pay for its note, the cut moves on to the next turn.
- Summaries stay; where nothing but summaries is left, the older half of them goes. One that quotes a request stands for
  that request's turn, and counts as a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from palimpsest.budget.regions import PREFACE_TOKENS
from palimpsest.plan.fit_to_limit import NOTE_TOKENS
from palimpsest.plan.hierarchical import Block, blocks, shown_request
from palimpsest.plan.open_group import in_progress, shortened
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem

MIN_MESSAGES = 3
"""With fewer messages than this in the window nothing is dropped."""

HALF = "refused as too long: dropping the oldest half of the turns"
SINGLE = "refused as too long: keeping only the newest request of a single turn"
OLDER = "refused as too long: keeping the newest request and the tool group in progress"
SHORTER = "refused as too long: shortening the tool group in progress"
SUMMARIES = "refused as too long: dropping the oldest half of the summaries"

GROUP_SHARE = 1 / 4
"""What is left of a tool group that is shortened here."""


def drop_oldest_turns(state: State) -> Decision:
    """Steps that drop the oldest half of the turns; none where nothing can be dropped."""
    every = blocks(state.window, 0)
    keeps = state.settings.policy != "rolling" or state.settings.cuts_at != "turns"
    for reason, going in (
        *_turns(state.window.items, every, keeps=keeps),
        (SUMMARIES, _older_summaries(every)),
    ):
        steps = tuple(
            step
            for run in _runs(state.window.items, going)
            if (step := _omit(run)).source_tokens > step.target_tokens and step.item_ids not in state.refused
        )
        if reason == SHORTER:
            group = in_progress(state.window)
            steps = tuple(shortened(state, group, int(sum(item.tokens for item in group) * GROUP_SHARE)))
        if steps:
            dropped = sum(len(step.item_ids) for step in steps)
            return Decision(
                steps, reason, (("items_dropped", dropped), ("used_tokens", state.budget.used_tokens))
            )
    return Decision((), "refused as too long, and nothing is left that could be dropped")


def _turns(items: Sequence[Item], every: Sequence[Block], *, keeps: bool) -> Iterator[tuple[str, set[str]]]:
    """What goes at a cut before the middle turn, at each later one, and of a single turn, which at first `keeps` the
    tool group in progress.
    """
    places = [place for place, item in enumerate(items) if _spoken(item)]
    if len(places) < MIN_MESSAGES:
        return
    turns = [place for place in places if _opens_turn(items[place])]
    if len(turns) > 1:
        for cut in turns[len(turns) // 2 :]:
            yield HALF, _before(every, cut)
    if keeps:
        yield OLDER, _before([replace(block, settled=not block.current) for block in every], len(items))
        yield SHORTER, set()
    yield SINGLE, _before(every, len(items))


def _spoken(item: Item) -> bool:
    return isinstance(item, MessageItem | StubItem) or shown_request(item) is not None


def _opens_turn(item: Item) -> bool:
    shown = shown_request(item)
    return shown is not None and shown.message.role == "user"


def _before(every: Sequence[Block], cut: int) -> set[str]:
    """The messages of the blocks that may go and end before an index into the items."""
    going: set[str] = set()
    end = 0
    for block in every:
        end += len(block.items)
        if end <= cut and (block.movable or (block.current and block.settled and not _asked_in(block))):
            going.update(item.id for item in block.items if isinstance(item, MessageItem | StubItem))
    return going


def _asked_in(block: Block) -> bool:
    """Whether the user speaks among the calls and results of a block."""
    return any(_opens_turn(item) for item in block.items)


def _older_summaries(every: Sequence[Block]) -> set[str]:
    made = [block.items[0].id for block in every if block.movable and isinstance(block.items[0], SummaryItem)]
    return set(made[: (len(made) + 1) // 2])


def _runs(items: Sequence[Item], going: set[str]) -> list[list[Item]]:
    """Adjacent items to drop, earlier dropped ranges beside them included; none of such ranges alone."""
    runs = [
        list(run)
        for goes, run in groupby(items, key=lambda item: item.id in going or isinstance(item, OmittedItem))
        if goes
    ]
    return [run for run in runs if any(item.id in going for item in run)]


def _omit(run: Sequence[Item]) -> Step:
    return step_over("omit", run, NOTE_TOKENS + PREFACE_TOKENS)
