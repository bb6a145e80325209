"""Write the text of one summary: with the summarizer, with the main model if that fails, in parts if the source is
larger than the model's window, or without a model.

- Neither what a summarizer reads nor what it writes holds secrets.
- If no call succeeds, the summary is made of the source's own words. The hierarchical policy takes the source's
  beginning and end, as PicoClaw's page on compression has it.
- If a provider refuses every call (no credit, no valid key) and the request still fits, nothing is changed and
  `SummarizerRefused` says why. Over the capacity, and with `when_refused = "truncate"`, the
  summary is made without a model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.budget.assemble import FENCE_TOKENS
from palimpsest.budget.model_limits import known
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.background_pauses import give_way
from palimpsest.engine.compacting.model_calls import drive
from palimpsest.engine.compacting.outline_summaries import (
    FROM_THE_CONVERSATION,
    MIN_SUMMARY_TOKENS,
    outline_range,
    outline_source,
    without_outline,
)
from palimpsest.engine.compacting.summarizer_choice import by_purpose, server_of
from palimpsest.engine.conversation_state import ConversationState
from palimpsest.ports import Complete
from palimpsest.record.decision import Step
from palimpsest.record.summary import Draft, SummaryCall
from palimpsest.record.summary_source import Source
from palimpsest.redaction.redactor import protect
from palimpsest.summarize.checks.judge import judging
from palimpsest.summarize.material_and_reply import finished, material_of
from palimpsest.summarize.model import map_reduce
from palimpsest.summarize.model.escalation import OVERFLOW, THINKING_TOKENS, Ask, Fork, is_cut, summarize
from palimpsest.summarize.model.prompts import prompt

REFERENCE_TOKENS = 14
"""The approximate cost of naming one summary as a source in the fence."""

TOOLS_SECTION_TOKENS = 80
"""The cost, besides a second fence, of a separate section for what tools said."""

MODEL_TOKENS, MODEL_SHARE, MIN_MODEL_TOKENS = 2_000, 5, 400
"""A model's summary before an outline aims at one part in `MODEL_SHARE` of the target, at most `MODEL_TOKENS`, and at
least `MIN_MODEL_TOKENS` if that is not more than half. A smaller target is filled without a call.
"""
OUTLINE_HEADING_TOKENS = 12

MAX_PARALLEL = 3
"""Parts that are summarized at the same time; a self-hosted server gets no more than it has slots."""

MAX_LOST = 3
"""After so many parts in a row without a reply, no more are asked."""

MAX_SHRINKS = 3
"""How often a source that its summarizer finds too large is given in smaller parts."""

MAX_STAGES = 3
"""How often partial summaries are summarized in parts again."""


class SummarizerRefused(Exception):
    """No summary was made, because the provider refuses every call and the request still fits."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class SummaryWriter:
    """Writes drafts for one conversation. `is_full`: the request is over its capacity. `own` is the conversation's
    model, None if it cannot be asked; `model` is the summarizer's name. `client` is what `complete` wraps.
    """

    state: ConversationState
    complete: Complete | None
    fallback: Complete | None
    prompts: Mapping[str, str]
    is_full: bool
    own: Complete | None = None
    model: str = ""
    client: Complete | None = None

    async def draft(
        self, source: Source, step: Step, source_tokens: int, fork: Callable[[], Fork] | None = None
    ) -> Draft:
        """A text of fewer tokens than its items; empty if that is too little to say anything. `fork` makes the
        conversation's own request, from which its model may continue.

        Raises SummarizerRefused.
        """
        settings = self.state.settings
        summarizer = step.summarizer or settings.summarizer
        overhead = FENCE_TOKENS + REFERENCE_TOKENS * sum(one.startswith("s") for one in step.item_ids)
        if settings.summary_placement == "system":
            overhead += TOOLS_SECTION_TOKENS + overhead
        limit_tokens = source_tokens - overhead
        if limit_tokens < MIN_SUMMARY_TOKENS:
            return Draft("", "truncated")
        target_tokens = min(step.target_tokens, limit_tokens)
        if self.complete is None or summarizer == "extractive":
            return await self._outline(source, step, target_tokens, limit_tokens)
        if not settings.fills_window:
            return await self._by_model(source, step, target_tokens, limit_tokens, summarizer, fork)
        if target_tokens < MIN_MODEL_TOKENS:
            return await self._outline(source, step, target_tokens, limit_tokens)
        min_tokens = min(MIN_MODEL_TOKENS, target_tokens // 2)
        prose_tokens = min(MODEL_TOKENS, max(min_tokens, target_tokens // MODEL_SHARE))
        max_tokens = min(limit_tokens, max(2 * prose_tokens, target_tokens * 3 // 4))
        prose = without_outline(source)
        draft = await self._by_model(prose, step, prose_tokens, max_tokens, summarizer, fork)
        room = min(target_tokens, limit_tokens - 1) - count_text(draft.text) - OUTLINE_HEADING_TOKENS
        if draft.method == "extractive" or not draft.text.strip() or room < MIN_SUMMARY_TOKENS:
            return draft
        outline = await outline_range(self.state, source, step.first, step.last, room, (draft.text,))
        return replace(draft, text=f"{draft.text}\n\n{FROM_THE_CONVERSATION}\n{outline}")

    async def _by_model(
        self,
        source: Source,
        step: Step,
        target_tokens: int,
        limit_tokens: int,
        summarizer: str,
        fork: Callable[[], Fork] | None,
    ) -> Draft:
        """The text that a model writes; an outline if none does."""
        if self.complete is None:
            return await self._outline(source, step, target_tokens, limit_tokens)
        draft = Draft("", "truncated", failure=OVERFLOW)
        if fork is not None and summarizer == "fork" and self.own is not None and not self.is_full:
            complete = by_purpose(self.complete, self.own)
            draft = await self._write(source, target_tokens, limit_tokens, complete, fork=fork())
        if draft.failure == OVERFLOW:
            forked_calls = draft.calls
            draft = await self._in_parts_if_needed(source, target_tokens, limit_tokens, self.complete)
            draft = replace(draft, calls=(*forked_calls, *draft.calls))
        truncates = self.state.settings.when_refused == "truncate"
        if draft.failure and not (self.is_full or truncates):
            raise SummarizerRefused(draft.calls[-1].refused)
        only_note = map_reduce.is_note(draft)
        cut = is_cut(draft) and self.state.settings.policy != "hierarchical"
        fails = cut or (draft.failure and not truncates)
        if draft.text and not (fails or only_note):
            return draft
        outline_tokens = max(target_tokens, min(step.target_tokens, limit_tokens))
        outline = await self._outline(source, step, outline_tokens, limit_tokens)
        if only_note:
            outline = map_reduce.noted(source, outline.text, limit_tokens, count_text)
        return replace(outline, calls=draft.calls, failure=draft.failure)

    async def _outline(self, source: Source, step: Step, target_tokens: int, limit_tokens: int) -> Draft:
        budget_tokens = max(MIN_SUMMARY_TOKENS, min(target_tokens, limit_tokens - 1))
        text = await outline_range(self.state, source, step.first, step.last, budget_tokens)
        return Draft(text, "extractive")

    async def _write(
        self,
        source: Source,
        target_tokens: int,
        limit_tokens: int,
        complete: Complete,
        *,
        window_tokens: int = 0,
        original: Source | None = None,
        fork: Fork | None = None,
        is_part: bool = False,
    ) -> Draft:
        """One summary. `window_tokens` is the summarizer's own window, 0 for one that is large enough. `original` is
        what a source of partial summaries was made from; replies are checked against it. Parts are not judged by a
        model, only what they become.
        """
        settings, redactor = self.state.settings, await self.state.engine_state.redactor()
        facts_tokens = min(target_tokens, int(window_tokens * map_reduce.FRAME_SHARE)) or target_tokens
        material = await give_way(
            material_of(original or source, target_tokens=facts_tokens, count=count_text, secrets=redactor)
        )
        if original is not None:
            safe, _ = await give_way(protect(source, redactor))
            material = replace(material, source=safe)
        ask = Ask(
            target_tokens,
            limit_tokens,
            count_text,
            settings.summary_model,
            settings.summary_timeout_s,
            self.prompts,
            settings.summary_form,
            settings.identifier_policy,
            settings.identifier_instructions,
            window_tokens,
        )
        draft = await drive(summarize(source, ask, material, fork), complete, self.fallback)
        if draft.method == "truncated":
            return draft
        check: list[SummaryCall] = []
        # The judge runs before exact strings are added, so that it cannot remove what the user asked for.
        if settings.summary_check != "off" and not is_part:
            text, call = await self._judge(draft.text, material.source, complete, window_tokens)
            draft, check = replace(draft, text=text), [call]
        text, notes = await give_way(
            finished(
                draft,
                material,
                form=settings.summary_form,
                policy=settings.identifier_policy,
                target_tokens=target_tokens,
                limit_tokens=limit_tokens,
                count=count_text,
            )
        )
        draft = draft.repaired(text, notes)
        return replace(draft, calls=(*draft.calls, *check))

    async def _judge(
        self, text: str, source: Source, complete: Complete, window_tokens: int
    ) -> tuple[str, SummaryCall]:
        """The text after a check by a model, and the call, which notes what the source does not support."""
        settings = self.state.settings
        steps = judging(
            text,
            source,
            prompt("check", self.prompts),
            model=settings.summary_model,
            timeout_s=settings.summary_timeout_s,
            source_tokens=source.tokens,
            edits=settings.summary_check == "model_edit",
            count=count_text,
            window_tokens=window_tokens,
        )
        return await drive(steps, complete, self.fallback)

    async def _window_tokens(self) -> int:
        """The summarizer's window as set, as its server says, or as known; 0 if it is at least the conversation's."""
        settings = self.state.settings
        if settings.summary_window_tokens:
            return settings.summary_window_tokens
        server = await server_of(self.client, settings.summary_model)
        planned_tokens = self.state.effective_settings().window_tokens
        if server is not None and server.context_tokens:
            return server.context_tokens if server.context_tokens <= planned_tokens else 0
        model = settings.summary_model or self.model
        limits = known(model) if model else None
        window_tokens = (limits.input_tokens or limits.window_tokens) if limits is not None else 0
        return window_tokens if window_tokens < planned_tokens else 0

    async def _in_parts_if_needed(
        self, source: Source, target_tokens: int, limit_tokens: int, complete: Complete
    ) -> Draft:
        """A summary in one call, or in parts that fit the model's own window."""
        window_tokens = await self._window_tokens()
        calls: tuple[SummaryCall, ...] = ()
        for _ in range(MAX_SHRINKS):
            draft = await self._stage(source, target_tokens, limit_tokens, complete, window_tokens)
            calls = (*calls, *draft.calls)
            if draft.failure != OVERFLOW:
                return replace(draft, calls=calls)
            if len(calls) > map_reduce.MAX_PARTS:
                break
            window_tokens = (window_tokens or sum(map(map_reduce.shown_tokens, source.entries))) // 2
        return await self._note(source, target_tokens, limit_tokens, calls)

    async def _stage(
        self,
        source: Source,
        target_tokens: int,
        limit_tokens: int,
        complete: Complete,
        window_tokens: int,
        original: Source | None = None,
        stage: int = 1,
    ) -> Draft:
        """One stage: the source as it is, or in parts whose summaries are the source of the next stage."""
        if window_tokens:
            # Before anything is cut: half a secret, or one without its name, would not be recognized.
            source, _ = await give_way(protect(source, await self.state.engine_state.redactor()))
            source = map_reduce.narrowed(
                map_reduce.with_short_context(source, window_tokens, count_text), window_tokens
            )
        target_tokens = min(target_tokens, window_tokens // 4) or target_tokens
        reply_tokens = target_tokens + min(THINKING_TOKENS, window_tokens // 8)
        is_whole = not window_tokens or map_reduce.fits(source, window_tokens, reply_tokens, count_text)
        parts = (source,) if is_whole else map_reduce.parts_of(source, window_tokens)
        if len(parts) == 1 or stage > MAX_STAGES:
            return await self._write(
                source, target_tokens, limit_tokens, complete, window_tokens=window_tokens, original=original
            )
        part_tokens = max(MIN_SUMMARY_TOKENS, min(target_tokens, window_tokens // (2 * len(parts))))
        drafts, is_lost = await self._drafts_of(parts, part_tokens, window_tokens, complete)
        if not is_lost and any(draft.method != "truncated" for draft in drafts):
            drafts = await self._retry_oversized(parts, drafts, part_tokens, window_tokens, complete, stage)
        calls: tuple[SummaryCall, ...] = tuple(call for draft in drafts for call in draft.calls)
        failure = next((draft.failure for draft in drafts if draft.failure), "")
        if failure:
            return Draft("", "truncated", "", calls, failure)
        original = original or source
        if is_lost:
            return await self._note(original, target_tokens, limit_tokens, calls)
        merged = map_reduce.merging(source, drafts, count_text)
        draft = await self._stage(
            merged, target_tokens, limit_tokens, complete, window_tokens, original, stage=stage + 1
        )
        calls += draft.calls
        if draft.method == "truncated" and not draft.failure:
            return await self._note(original, target_tokens, limit_tokens, calls)
        return replace(draft, calls=calls)

    async def _drafts_of(
        self, parts: Sequence[Source], part_tokens: int, window_tokens: int, complete: Complete
    ) -> tuple[list[Draft], bool]:
        """The drafts of all parts, several at a time, and whether the model stopped replying."""
        server = await server_of(self.client, self.state.settings.summary_model)
        limit = asyncio.Semaphore(min(MAX_PARALLEL, server.slots) if server else MAX_PARALLEL)
        lost = 0

        async def draft_of(part: Source) -> Draft:
            nonlocal lost
            async with limit:
                if lost >= MAX_LOST:
                    return await self._note(part, part_tokens, _part_limit(part, part_tokens))
                draft = await self._part(part, part_tokens, window_tokens, complete)
                lost = 0 if any(call.output_tokens for call in draft.calls) else lost + 1
                return draft

        drafts = await asyncio.gather(*map(draft_of, parts))
        return drafts, lost >= MAX_LOST

    async def _retry_oversized(
        self,
        parts: Sequence[Source],
        drafts: Sequence[Draft],
        part_tokens: int,
        window_tokens: int,
        complete: Complete,
        stage: int,
    ) -> list[Draft]:
        """The drafts, with the first few oversized parts written again in smaller parts; the others become notes."""
        left = MAX_LOST
        found: list[Draft] = []
        for part, draft in zip(parts, drafts, strict=True):
            again, limit_tokens = draft, _part_limit(part, part_tokens)
            if again.failure == OVERFLOW and left:
                left -= 1
                half = min(window_tokens // 2, sum(map(map_reduce.shown_tokens, part.entries)))
                again = await self._stage(part, part_tokens, limit_tokens, complete, half, stage=stage + 1)
                again = replace(again, calls=(*draft.calls, *again.calls))
            if again.failure == OVERFLOW:
                again = await self._note(part, part_tokens, limit_tokens, again.calls)
            found.append(again)
        return found

    async def _part(self, part: Source, part_tokens: int, window_tokens: int, complete: Complete) -> Draft:
        """The draft of one part: as it is, else without its oversized messages, else as a note."""
        limit_tokens = _part_limit(part, part_tokens)

        async def write(source: Source) -> Draft:
            return await self._write(
                source, part_tokens, limit_tokens, complete, window_tokens=window_tokens, is_part=True
            )

        draft = await write(part)
        smaller = map_reduce.without_oversized(part, window_tokens)
        if draft.method == "truncated" and draft.failure in {"", OVERFLOW} and smaller is not part:
            again = await write(smaller)
            draft = replace(again, calls=draft.calls + again.calls)
        if draft.method == "truncated" and not draft.failure:
            return await self._note(part, part_tokens, limit_tokens, draft.calls)
        return draft

    async def _note(
        self, source: Source, target_tokens: int, limit_tokens: int, calls: tuple[SummaryCall, ...] = ()
    ) -> Draft:
        """A note that stands for a source that no model summarized, with its outline."""
        budget_tokens = max(MIN_SUMMARY_TOKENS, min(target_tokens, limit_tokens - 1))
        text = await outline_source(self.state, source, budget_tokens)
        return replace(map_reduce.noted(source, text, limit_tokens, count_text), calls=calls)


def _part_limit(part: Source, part_tokens: int) -> int:
    return max(part.tokens, 2 * part_tokens)
