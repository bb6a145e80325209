"""The last resort after a provider refused a request as too long: drop the oldest half of the turns, with a note.

Source: the page on PicoClaw's context architecture, "Emergency compression". The cut lies before a user message. A
single turn keeps only the newest user message. What is dropped stays in the store, and the note names it.

- A single turn whose tool group is in progress keeps that group too, shortened to a quarter where nothing else is left
  to drop. A model that sees neither its call nor the result makes the same call again. The group goes too only where it
  cannot be made shorter, and where turns are cut as on the page.
- No tool group is split. One in which the user spoke goes as a whole with the later half.
- Where the older half has nothing that may go, or not enough to pay for its note, the cut moves on to the next turn.
- Summaries stay. Where nothing else is left, the older half of them goes. A summary that quotes a request counts as
  that request's turn, and as a message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from palimpsest.budget.regions import PREFACE_TOKENS
from palimpsest.plan.blocks import (
    OMITTED_TOKENS,
    Block,
    blocks,
    group_in_progress,
    is_message,
    shown_request,
    tokens_of,
    turn_history,
)
from palimpsest.plan.fit_to_limit import shorten_messages
from palimpsest.plan.turns import find_safe_boundary, parse_turn_boundaries
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.window_items import Item, OmittedItem, SummaryItem
from palimpsest.settings import Settings

MIN_MESSAGES = 2
"""With fewer messages than this in the window nothing is dropped."""

HALF = "refused as too long: dropping the oldest half of the turns"
SINGLE = "refused as too long: keeping only the newest request of a single turn"
OLDER = "refused as too long: keeping the newest request and the tool group in progress"
SHORTER = "refused as too long: shortening the tool group in progress"
SUMMARIES = "refused as too long: dropping the oldest half of the summaries"

GROUP_SHARE = 1 / 4
"""What is left of a tool group that is shortened here."""


def keeps_turns_whole(settings: Settings) -> bool:
    """Whether turns are cut as on the page: whole, but for the last resort."""
    return settings.policy == "rolling" and settings.cuts_at == "turns"


def drop_oldest_turns(state: State) -> Decision:
    """Steps that drop the oldest half of the turns; none where nothing can be dropped."""
    every = blocks(state.window)
    return _first_possible(state, (*_turns(state, every), (SUMMARIES, _older_summaries(every))))


def drop_turns(state: State, *, last_resort: bool) -> Decision:
    """The same before a call, without dropping summaries. A turn is split only as a `last_resort`."""
    found = _turns(state, blocks(state.window))
    wanted = [one for one in found if last_resort or one[0] == HALF]
    decision = _first_possible(state, wanted)
    return replace(decision, reason=decision.reason.replace("refused as too long", "over"))


def _first_possible(state: State, options: Iterable[tuple[str, set[str]]]) -> Decision:
    for reason, dropped in options:
        if reason == SHORTER:
            group = group_in_progress(state.window)
            steps = tuple(shorten_messages(state, group, int(tokens_of(group) * GROUP_SHARE)))
        else:
            steps = tuple(_omissions(state, dropped))
        if steps:
            count = sum(len(step.item_ids) for step in steps)
            numbers = (("items_dropped", count), ("used_tokens", state.budget.used_tokens))
            return Decision(steps, reason, numbers)
    return Decision((), "refused as too long, and nothing is left that could be dropped")


def _turns(state: State, every: Sequence[Block]) -> Iterator[tuple[str, set[str]]]:
    """What to drop at a cut before the middle turn, at each later one, and of a single turn.

    A single turn keeps the tool group in progress at first, unless turns are cut as on the page.
    """
    items = state.window.items
    messages = [
        index for index, item in enumerate(items) if is_message(item) or shown_request(item) is not None
    ]
    if len(messages) < MIN_MESSAGES:
        return
    history = turn_history(items)
    turns = parse_turn_boundaries(history)
    for cut in turns[len(turns) // 2 :] if len(turns) > 1 else [find_safe_boundary(history, len(items) // 2)]:
        yield HALF, _before(every, cut)
    if not keeps_turns_whole(state.settings):
        yield OLDER, _before([replace(block, settled=not block.current) for block in every], len(items))
        yield SHORTER, set()
    yield SINGLE, _before(every, len(items))


def _opens_turn(item: Item) -> bool:
    shown = shown_request(item)
    return shown is not None and shown.message.role == "user"


def _before(every: Sequence[Block], cut: int) -> set[str]:
    """The messages of the blocks that may go and end before an index into the items."""
    return {
        item.id
        for block in every
        if block.end <= cut and (block.movable or _is_given_up(block))
        for item in block.items
        if is_message(item)
    }


def _is_given_up(block: Block) -> bool:
    """Whether a block is a complete tool group in progress in which neither the user nor the system said the newest."""
    return block.current and block.settled and not block.told and not any(map(_opens_turn, block.items))


def _older_summaries(every: Sequence[Block]) -> set[str]:
    made = [block.items[0].id for block in every if block.movable and isinstance(block.items[0], SummaryItem)]
    return set(made[: (len(made) + 1) // 2])


def _omissions(state: State, dropped: set[str]) -> Iterator[Step]:
    """A step for each run of adjacent items to drop, with earlier dropped ranges next to them."""
    run: list[Item] = []
    for item in (*state.window.items, None):
        if item is not None and (item.id in dropped or isinstance(item, OmittedItem)):
            run.append(item)
            continue
        if any(one.id in dropped for one in run):
            step = step_over("omit", run, OMITTED_TOKENS + PREFACE_TOKENS)
            if step.source_tokens > step.target_tokens and step.item_ids not in state.refused:
                yield step
        run = []
