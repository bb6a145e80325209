"""Making the text of one summary: with the model, with the main model where that fails, in parts where the source is
larger than the model's window, and without any.

- What a summarizer reads and what it writes holds no secrets, with a model or without.
- Where no call of a model succeeds, the summary is made from the source's own words; the hierarchical policy takes the
  source's beginning and end, as PicoClaw's page on compression has it.
- A provider that refuses every call (no credit, no valid key) leaves everything as it is while the request still
  fits; `Withheld` says so. Over the capacity the summary is made without a model at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.budget.assemble import FENCE_TOKENS
from palimpsest.budget.model_limits import known
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.compacting.model_calls import drive, give_way
from palimpsest.engine.compacting.outline_summaries import (
    FROM_THE_CONVERSATION,
    outline_of,
    outlined,
    without_outline,
)
from palimpsest.engine.compacting.summarizer_choice import by_purpose, server_of
from palimpsest.engine.conversation_state import Desk
from palimpsest.ports import Complete
from palimpsest.record.decision import Step
from palimpsest.record.summary import Draft, SummaryCall
from palimpsest.record.summary_source import Source
from palimpsest.redaction.redactor import protect
from palimpsest.summarize.checks.judge import judging
from palimpsest.summarize.model.escalation import OVERFLOW, THINKING_TOKENS, Fork, is_cut, summarize
from palimpsest.summarize.model.map_reduce import (
    FRAME_SHARE,
    MAX_PARTS,
    fits,
    is_note,
    merging,
    narrowed,
    noted,
    parts_of,
    shown_tokens,
    with_short_context,
    without_oversized,
)
from palimpsest.summarize.model.prompts import prompt
from palimpsest.summarize.model_input import finished, material_of

REFERENCE_TOKENS = 14
"""What naming one summary as a source costs in the fence, about."""

APART_TOKENS = 80
"""What it costs to tell apart what tools said, besides a fence: a line, and headings that stand there twice."""
MIN_SUMMARY_TOKENS = 24
"""Below this a summary could hold nothing worth reading."""

MODEL_TOKENS, MODEL_PART, LEAST_MODEL_TOKENS = 2_000, 5, 400
"""Where an outline follows a model's summary, that aims at one part of so many of the target, so many tokens at most,
and so many at least where that is not more than half. A smaller target is filled without a call.
"""
OUTLINE_MARK_TOKENS = 12

MAX_PARALLEL = 3
"""Parts of one source that are summarized at the same time; at a self-hosted server no more than its slots."""

MAX_LOST = 3
"""After so many parts in a row to which no reply came, no more are asked: each would wait as long for nothing."""

MAX_SHRINKS = 3
"""How often a source that its summarizer finds too large is given in smaller parts."""

MAX_STAGES = 3
"""How often partial summaries are summarized in parts again."""


class Withheld(Exception):
    """Nothing was made, because the provider refuses every call and the request still fits; `reason` says why.

    It never leaves the engine.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Drafting:
    """Makes drafts for one conversation. `full` says that the request is over its capacity; `own` asks the model of the
    conversation itself, None where it cannot be asked; `model` is the summarizer's name, "" where it does not tell;
    `client` is what `complete` asks, which may know its server.
    """

    desk: Desk
    complete: Complete | None
    fallback: Complete | None
    prompts: Mapping[str, str]
    full: bool
    own: Complete | None = None
    model: str = ""
    client: Complete | None = None

    async def draft(
        self, source: Source, step: Step, source_tokens: int, fork: Callable[[], Fork] | None = None
    ) -> Draft:
        """A text of fewer tokens than its items leave for it; empty where that is too little to say anything. `fork`
        gives the conversation's own request, where its model may go on from that.

        Raises Withheld.
        """
        who = step.summarizer or self.desk.settings.summarizer
        fence = FENCE_TOKENS + REFERENCE_TOKENS * sum(one.startswith("s") for one in step.item_ids)
        apart = self.desk.settings.summary_placement == "system"
        limit_tokens = source_tokens - fence - (APART_TOKENS + fence) * apart
        if limit_tokens < MIN_SUMMARY_TOKENS:
            return Draft("", "truncated")
        target_tokens = min(step.target_tokens, limit_tokens)
        if self.complete is None or who == "extractive":
            return await self._outlined(source, step, target_tokens, limit_tokens)
        fills = self.desk.settings.window_target_tokens > 0
        if not fills:
            return await self._by_model(source, step, target_tokens, limit_tokens, who, fork)
        if target_tokens < LEAST_MODEL_TOKENS:
            return await self._outlined(source, step, target_tokens, limit_tokens)
        least_tokens = min(LEAST_MODEL_TOKENS, target_tokens // 2)
        prose_tokens = min(MODEL_TOKENS, max(least_tokens, target_tokens // MODEL_PART))
        most_tokens = min(limit_tokens, max(2 * prose_tokens, target_tokens * 3 // 4))
        made = await self._by_model(without_outline(source), step, prose_tokens, most_tokens, who, fork)
        return await self._with_outline(made, source, step, target_tokens, limit_tokens)

    async def _with_outline(
        self, made: Draft, source: Source, step: Step, target_tokens: int, limit_tokens: int
    ) -> Draft:
        """A model's summary with the outline of the same messages behind it, in what it leaves of the target."""
        if made.method == "extractive" or not made.text.strip():
            return made
        room = min(target_tokens, limit_tokens - 1) - count_text(made.text) - OUTLINE_MARK_TOKENS
        if room < MIN_SUMMARY_TOKENS:
            return made
        text = await outlined(self.desk, source, step.first, step.last, room, (made.text,))
        return replace(made, text=f"{made.text}\n\n{FROM_THE_CONVERSATION}\n{text}")

    async def _by_model(
        self,
        source: Source,
        step: Step,
        target_tokens: int,
        limit_tokens: int,
        who: str,
        fork: Callable[[], Fork] | None,
    ) -> Draft:
        """The text that a model writes; an outline where none does."""
        if self.complete is None:
            return await self._outlined(source, step, target_tokens, limit_tokens)
        forked = Draft("", "truncated", failure=OVERFLOW)
        if fork is not None and who == "fork" and self.own is not None and not self.full:
            asked = by_purpose(self.complete, self.own)
            forked = await self._written(source, target_tokens, limit_tokens, asked, fork=fork())
        made = forked
        if forked.failure == OVERFLOW:
            whole = await self._whole(source, target_tokens, limit_tokens, self.complete)
            made = replace(whole, calls=(*forked.calls, *whole.calls))
        if made.failure and not self.full:
            raise Withheld(made.calls[-1].refused)
        note = is_note(made)
        cut = is_cut(made) and self.desk.settings.policy != "hierarchical"
        if made.failure or cut or note:
            whole_tokens = max(target_tokens, min(step.target_tokens, limit_tokens))
            own = await self._outlined(source, step, whole_tokens, limit_tokens)
            own = noted(source, own.text, limit_tokens, count_text) if note else own
            return replace(own, calls=made.calls, failure=made.failure)
        return made

    async def _outlined(self, source: Source, step: Step, target_tokens: int, limit_tokens: int) -> Draft:
        budget_tokens = max(MIN_SUMMARY_TOKENS, min(target_tokens, limit_tokens - 1))
        text = await outlined(self.desk, source, step.first, step.last, budget_tokens)
        return Draft(text, "extractive")

    async def _written(
        self,
        source: Source,
        target_tokens: int,
        limit_tokens: int,
        complete: Complete,
        *,
        window_tokens: int = 0,
        of: Source | None = None,
        fork: Fork | None = None,
        is_part: bool = False,
    ) -> Draft:
        """One summary. `window_tokens` is the summarizer's own window, 0 for one that is large enough; `of` what the
        source was made from, where it consists of partial summaries: the reply is held against that. A part of a source
        is not judged by a model: what the parts become is.
        """
        settings, secrets = self.desk.settings, await self.desk.memo.redactor()
        facts_tokens = min(target_tokens, int(window_tokens * FRAME_SHARE)) or target_tokens
        material = await give_way(
            material_of(of or source, target_tokens=facts_tokens, count=count_text, secrets=secrets)
        )
        if of is not None:
            shown, _ = await give_way(protect(source, secrets))
            material = replace(material, source=shown)
        made = await drive(
            summarize(
                source,
                target_tokens=target_tokens,
                limit_tokens=limit_tokens,
                count=count_text,
                model=settings.summary_model,
                timeout_s=settings.summary_timeout_s,
                prompts=self.prompts,
                form=settings.summary_form,
                policy=settings.identifier_policy,
                instructions=settings.identifier_instructions,
                material=material,
                fork=fork,
                window_tokens=window_tokens,
            ),
            complete,
            self.fallback,
        )
        if made.method == "truncated":
            return made
        check: list[SummaryCall] = []
        # Before what is added: no judge takes out what the user asked for.
        if settings.summary_check != "off" and not is_part:
            made, *check = await self._judged(made, material.source, complete, window_tokens)
        text, notes = await give_way(
            finished(
                made,
                material,
                form=settings.summary_form,
                policy=settings.identifier_policy,
                target_tokens=target_tokens,
                limit_tokens=limit_tokens,
                count=count_text,
            )
        )
        made = made.repaired(text, notes)
        return replace(made, calls=(*made.calls, *check))

    async def _judged(
        self, made: Draft, source: Source, complete: Complete, window_tokens: int
    ) -> tuple[Draft, SummaryCall]:
        """The draft after a check by a model, and the call, which notes what the source does not support."""
        settings = self.desk.settings
        text, call = await drive(
            judging(
                made.text,
                source,
                prompt("check", self.prompts),
                model=settings.summary_model,
                timeout_s=settings.summary_timeout_s,
                source_tokens=source.tokens,
                edits=settings.summary_check == "model_edit",
                count=count_text,
                window_tokens=window_tokens,
            ),
            complete,
            self.fallback,
        )
        return replace(made, text=text), call

    async def _window_tokens(self) -> int:
        """The summarizer's window, where it is set, told by its server or known, and smaller than the conversation's;
        else 0. What a server tells counts also where it is as large.
        """
        settings = self.desk.settings
        if settings.summary_window_tokens:
            return settings.summary_window_tokens
        server = await server_of(self.client, settings.summary_model)
        planned_tokens = self.desk.effective().window_tokens
        if server is not None and server.context_tokens:
            return server.context_tokens if server.context_tokens <= planned_tokens else 0
        model = settings.summary_model or self.model
        found = known(model) if model else None
        window_tokens = (found.input_tokens or found.window_tokens) if found is not None else 0
        return window_tokens if window_tokens < planned_tokens else 0

    async def _whole(
        self, source: Source, target_tokens: int, limit_tokens: int, complete: Complete
    ) -> Draft:
        """In parts where the model's own window is too small, at once where it is not: what a policy gives to one
        summary fits the window that it plans for. Where the model says that it was too much, in smaller parts.
        """
        window_tokens = await self._window_tokens()
        calls: tuple[SummaryCall, ...] = ()
        for _ in range(MAX_SHRINKS):
            made = await self._staged(source, target_tokens, limit_tokens, complete, window_tokens)
            calls = (*calls, *made.calls)
            if made.failure != OVERFLOW:
                return replace(made, calls=calls)
            if len(calls) > MAX_PARTS:
                break
            window_tokens = (window_tokens or sum(map(shown_tokens, source.entries))) // 2
        return replace(await self._note(source, target_tokens, limit_tokens), calls=calls)

    async def _staged(
        self,
        source: Source,
        target_tokens: int,
        limit_tokens: int,
        complete: Complete,
        window_tokens: int,
        of: Source | None = None,
        stage: int = 1,
    ) -> Draft:
        """One stage: the source as it is, or in parts whose summaries are the source of the next."""
        if window_tokens:
            # Before anything is cut: half a secret, or one without its name, would not be known as one.
            source, _ = await give_way(protect(source, await self.desk.memo.redactor()))
            source = narrowed(with_short_context(source, window_tokens, count_text), window_tokens)
        target_tokens = min(target_tokens, window_tokens // 4) or target_tokens
        reply_tokens = target_tokens + min(THINKING_TOKENS, window_tokens // 8)
        whole_fits = not window_tokens or fits(source, window_tokens, reply_tokens, count_text)
        parts = (source,) if whole_fits else parts_of(source, window_tokens)
        if len(parts) == 1 or stage > MAX_STAGES:
            return await self._written(
                source, target_tokens, limit_tokens, complete, window_tokens=window_tokens, of=of
            )
        server = await server_of(self.client, self.desk.settings.summary_model)
        gate = asyncio.Semaphore(min(MAX_PARALLEL, server.slots) if server else MAX_PARALLEL)
        part_tokens = max(MIN_SUMMARY_TOKENS, min(target_tokens, window_tokens // (2 * len(parts))))

        lost = 0

        async def made_of(part: Source) -> Draft:
            nonlocal lost
            async with gate:
                if lost >= MAX_LOST:
                    return await self._note(part, part_tokens, max(part.tokens, 2 * part_tokens))
                made = await self._part(part, part_tokens, window_tokens, complete)
                lost = 0 if any(call.output_tokens for call in made.calls) else lost + 1
                return made

        drafts = await asyncio.gather(*(made_of(part) for part in parts))
        if lost < MAX_LOST and any(draft.method != "truncated" for draft in drafts):
            drafts = await self._again(parts, drafts, part_tokens, window_tokens, complete, stage)
        calls: tuple[SummaryCall, ...] = tuple(call for draft in drafts for call in draft.calls)
        refused = next((draft.failure for draft in drafts if draft.failure), "")
        if refused:
            return Draft("", "truncated", "", calls, refused)
        if lost >= MAX_LOST:
            return replace(await self._note(of or source, target_tokens, limit_tokens), calls=calls)
        merged, of = merging(source, drafts, count_text), of or source
        whole = await self._staged(
            merged, target_tokens, limit_tokens, complete, window_tokens, of, stage=stage + 1
        )
        if whole.method == "truncated" and not whole.failure:
            note = await self._note(of, target_tokens, limit_tokens)
            return replace(note, calls=calls + whole.calls)
        return replace(whole, calls=calls + whole.calls)

    async def _again(
        self,
        parts: Sequence[Source],
        drafts: Sequence[Draft],
        part_tokens: int,
        window_tokens: int,
        complete: Complete,
        stage: int,
    ) -> list[Draft]:
        """The drafts, but what was too large where others were not in parts of its own: what in it is refused becomes a
        note. So do all of these but the first few.
        """
        left = MAX_LOST
        found: list[Draft] = []
        for part, draft in zip(parts, drafts, strict=True):
            made = draft
            limit_tokens = max(part.tokens, 2 * part_tokens)
            if made.failure == OVERFLOW and left:
                left -= 1
                half = min(window_tokens // 2, sum(map(shown_tokens, part.entries)))
                made = await self._staged(part, part_tokens, limit_tokens, complete, half, stage=stage + 1)
                made = replace(made, calls=(*draft.calls, *made.calls))
            if made.failure == OVERFLOW:
                made = replace(await self._note(part, part_tokens, limit_tokens), calls=made.calls)
            found.append(made)
        return found

    async def _part(self, part: Source, part_tokens: int, window_tokens: int, complete: Complete) -> Draft:
        """One part: as it is, else without its oversized messages, else as a note."""
        limit_tokens = max(part.tokens, 2 * part_tokens)
        made = await self._written(
            part, part_tokens, limit_tokens, complete, window_tokens=window_tokens, is_part=True
        )
        smaller = without_oversized(part, window_tokens)
        if made.method == "truncated" and made.failure in {"", OVERFLOW} and smaller is not part:
            again = await self._written(
                smaller, part_tokens, limit_tokens, complete, window_tokens=window_tokens, is_part=True
            )
            made = replace(again, calls=made.calls + again.calls)
        if made.method == "truncated" and not made.failure:
            note = await self._note(part, part_tokens, limit_tokens)
            return replace(note, calls=made.calls)
        return made

    async def _note(self, source: Source, target_tokens: int, limit_tokens: int) -> Draft:
        text = await outline_of(
            self.desk, source, max(MIN_SUMMARY_TOKENS, min(target_tokens, limit_tokens - 1))
        )
        return noted(source, text, limit_tokens, count_text)
