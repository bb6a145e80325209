"""The tools with which a model reads back what left its window: definitions with handlers.

    tools = talk.tools()
    request = await talk.request(tools=tools)
    answer = await tools.call("short_grep", {"pattern": "timeout AND retry"})

A handler accepts any arguments that a model sends, and returns text within its budget: a model's mistake is an answer,
not an error. Every answer begins with a mark by which it is recognized as a message (`record/recall_mark.py`).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from palimpsest.budget.calibration import margin_tokens
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.tools.answers import ignored_note, refusal, with_note
from palimpsest.engine.tools.arguments import (
    Arguments,
    Field,
    read_arguments,
    schema_of,
    unknown_names,
    usage,
)
from palimpsest.engine.tools.handlers import ToolScope, describe, expand, grep, search
from palimpsest.errors import PalimpsestError, UsageError
from palimpsest.formats.anthropic.request import render_tools as anthropic_tools
from palimpsest.formats.gemini.request import render_tools as gemini_tools
from palimpsest.formats.openai.request import render_tools as openai_tools
from palimpsest.record.message import ToolDef

Handler = Callable[[Mapping[str, object]], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class ModelTool:
    """A tool with its handler. `parameters` is JSON schema; the handler takes a model's arguments and returns text."""

    name: str
    description: str
    parameters: Mapping[str, object]
    handler: Handler

    @property
    def definition(self) -> ToolDef:
        """The definition for a request."""
        return ToolDef(self.name, self.description, json.dumps(self.parameters, ensure_ascii=False))


class ModelTools(tuple[ModelTool, ...]):
    """Tools in order, for a model of any provider."""

    __slots__ = ()

    def openai(self, *, strict: bool = False) -> list[dict[str, object]]:
        """For OpenAI's Chat Completions; `strict` makes every argument required and nullable, for its strict mode."""
        if not strict:
            return openai_tools(self._definitions())
        rendered = openai_tools([_strict(tool) for tool in self])
        for one in rendered:
            cast("dict[str, object]", one["function"])["strict"] = True
        return rendered

    def anthropic(self) -> list[dict[str, object]]:
        """For Anthropic's Messages."""
        return anthropic_tools(self._definitions())

    def gemini(self) -> list[dict[str, object]]:
        """For Gemini's generateContent."""
        return gemini_tools(self._definitions())

    async def call(self, name: str, arguments: object = None) -> str:
        """The answer to a model's call; arguments are a dict or JSON text. An unknown name gets an answer too."""
        found = next((one for one in self if name in (one.name, one.name.removeprefix("short_"))), None)
        if found is None:
            names = ", ".join(one.name for one in self)
            return refusal(UsageError(f"there is no tool {name[:80]!r}", hint=f"there are {names}"))
        return await found.handler(cast("Mapping[str, object]", arguments))

    def _definitions(self) -> list[ToolDef]:
        return [one.definition for one in self]


def _strict(tool: ModelTool) -> ToolDef:
    """A definition with every argument required; optional ones may be null."""
    needed = set(cast("list[str]", tool.parameters["required"]))
    given = cast("dict[str, dict[str, object]]", tool.parameters["properties"])
    properties = {name: one if name in needed else _nullable(one) for name, one in given.items()}
    schema = {**tool.parameters, "properties": properties, "required": list(properties)}
    return ToolDef(tool.name, tool.description, json.dumps(schema, ensure_ascii=False))


def _nullable(schema: Mapping[str, object]) -> dict[str, object]:
    made: dict[str, object] = {**schema, "type": [schema["type"], "null"]}
    if "enum" in made:
        made["enum"] = [*cast("list[object]", made["enum"]), None]
    return made


_ALL_CONVERSATIONS = Field(
    "all_conversations", "flag", "Also in all other conversations.",
    "all everywhere global cross_conversation all_sessions",
)  # fmt: skip
_QUESTION = Field(
    "question", "text", "The question in plain words, with the names that matter.",
    "query queries questions q text pattern search prompt keywords terms search_query search_term", required=True,
)  # fmt: skip
_LIMIT = Field("limit", "number", "The most hits, default 10.", "max max_results k top_k n count num_results")
_FILTERS = (
    Field(
        "role", "text", "Of this speaker.", "speaker author from by",
        choices=("user", "assistant", "tool"),
        meanings={
            "human": "user", "person": "user", "ai": "assistant", "model": "assistant", "bot": "assistant",
            "agent": "assistant", "both": "any", "function": "tool", "tools": "tool", "tool_result": "tool",
        },
    ),
    Field("last", "text", "The last 6h, 7d, 2w, 1m (month).", "within period time_window"),
    Field("since", "text", "From this ISO 8601 time on.", "after from_time start from_date"),
    Field("before", "text", "Before this ISO 8601 time.", "until to_time end to_date"),
)  # fmt: skip
_SEARCH = (_QUESTION, *_FILTERS, _ALL_CONVERSATIONS, _LIMIT)
_GREP = (
    Field(
        "pattern", "text", 'Words (all of them), AND, OR, NOT, (), "a phrase", %part of a word%.',
        "query q text search regex keywords keyword terms term string question search_query search_term phrase words "
        "word", required=True,
    ),
    Field(
        "scope", "text", "Default both.", "kind type in",
        choices=("summary", "message", "both"),
        meanings={"summaries": "summary", "messages": "message", "all": "both", "any": "both", "everything": "both"},
    ),
    *_FILTERS, _ALL_CONVERSATIONS, _LIMIT,
)  # fmt: skip
_EXPAND = (
    Field(
        "message_ids", "ids", 'Ids such as "m12" or "s3", or a range "m12-m20".',
        "ids id message_id messages message summary_id summary_ids summaries summary hit_ids hits",
        required=True, unless="cursor",
    ),
    Field(
        "include_results", "flag", "Also what tools returned; it can be large.",
        "results include_tool_results with_results tool_results include_result",
    ),
    Field(
        "to_messages", "flag", "A summary down to its messages, not one level.",
        "down_to_messages messages_only all_levels deep",
    ),
    Field(
        "cursor", "text", "Goes on where an earlier answer stopped.", "next next_cursor page page_token continue"
    ),
    _ALL_CONVERSATIONS,
)  # fmt: skip
_DESCRIBE = (
    Field(
        "id", "id", 'An id such as "s3" or "m12".',
        "ids summary_id message_id message_ids summary message summary_ids", required=True,
    ),
    _ALL_CONVERSATIONS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _ToolSpec:
    """A tool without its scope."""

    name: str
    fields: tuple[Field, ...]
    answer: Callable[[ToolScope, Arguments], Awaitable[str]]
    description: str


_TOOLS = (
    _ToolSpec(
        "short_search",
        _SEARCH,
        search,
        "Answers a question from what was said earlier and has left the context window: passages with their ids, best "
        "first. Use it before you say that something is not known, or ask for it again. Plain words, no operators.",
    ),
    _ToolSpec(
        "short_grep",
        _GREP,
        grep,
        "Finds words, names, paths or numbers that you know in earlier messages and summaries: hits with an id, a "
        "snippet, the tokens to read it, and a BM25 rank (lower is better).",
    ),
    _ToolSpec(
        "short_expand",
        _EXPAND,
        expand,
        "Reads messages back in full by id, or a summary as what it was made from. It costs the tokens that hits and "
        "short_describe name. What tools returned is left out unless include_results is true.",
    ),
    _ToolSpec(
        "short_describe",
        _DESCRIBE,
        describe,
        "Says what lies under a summary before you pay for it: time span, counts, files, tokens at each level.",
    ),
)

ANSWER_TEXTS = 16
"""The approximate number of texts in an answer, over which the errors of their estimates even out."""


def make_tools(scope: ToolScope) -> ModelTools:
    """The tools for what `scope` may read."""
    return ModelTools(_tool(scope, spec) for spec in _TOOLS)


def recall_definitions(*, all_conversations: bool = True) -> tuple[ToolDef, ...]:
    """The definitions of the tools, which are the same for every conversation."""
    left_out = () if all_conversations else (_ALL_CONVERSATIONS,)
    return tuple(
        _definition(spec, tuple(one for one in spec.fields if one not in left_out)) for spec in _TOOLS
    )


def _definition(spec: _ToolSpec, fields: tuple[Field, ...]) -> ToolDef:
    return ModelTool(spec.name, spec.description, schema_of(fields), _unused).definition


async def _unused(_: Mapping[str, object]) -> str:
    return ""


def _tool(scope: ToolScope, spec: _ToolSpec) -> ModelTool:
    """The tool with its handler. A margin is kept free, because an answer's size is estimated."""
    fields = spec.fields
    if scope.conversation is None or scope.alone:
        fields = tuple(one for one in fields if one is not _ALL_CONVERSATIONS)
    hint = usage(fields)
    read = fields if scope.alone else spec.fields

    async def handler(arguments: Mapping[str, object]) -> str:
        try:
            parsed = read_arguments(arguments, read, fields)
            note = ignored_note(unknown_names(parsed.unknown, fields))
            room = scope.answer_tokens - margin_tokens(scope.answer_tokens, ANSWER_TEXTS) - count_text(note)
            return with_note(await spec.answer(replace(scope, answer_tokens=room), parsed), note)
        except UsageError as error:
            return refusal(error, "" if "arguments:" in error.hint else hint)
        except PalimpsestError as error:
            return refusal(error)

    return ModelTool(spec.name, spec.description, schema_of(fields), handler)
