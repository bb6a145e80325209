"""The SDK's handlers: tools and resources over one owner's data, with a time limit for each call.

- A client's mistake (an unknown id, an invalid pattern) is a result that explains it, so that the model can correct it.
  An internal error is reported without a traceback, which goes to standard error.
- A cancelled call is dropped, because reading changes nothing.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from palimpsest._version import __version__
from palimpsest.engine.engine import Engine
from palimpsest.engine.tools.answers import refusal
from palimpsest.errors import NotFound, PalimpsestError
from palimpsest.mcp.clients import SERVER_NAME
from palimpsest.mcp.resources import PAGE, SCHEME, page_of, read_text, read_uri, uri_of
from palimpsest.mcp.tool_list import Answer, Offer, make_offers, plain_name
from palimpsest.mcp.transcript_follower import Follower
from palimpsest.redaction.redactor import redact_error_text

CALL_TIMEOUT_S = 60.0
INSTRUCTIONS = (
    "Every message of earlier conversations is stored here word for word, including what was compacted away from this "
    "one. Use search before you say that something is unknown or ask for it again; use grep for exact names, paths and "
    "numbers; read ids such as m12 or s3 in full with expand."
)

Params = TypeVar("Params")
Result = TypeVar("Result")

_Context = ServerRequestContext[dict[str, Any], Any]
_READ_ONLY = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_PLAIN = "text/plain"
_FINDING = ("search", "grep")
_TRACED = 8
_REFUSED = refusal(PalimpsestError("")).partition("]")[0]


def _guarded(
    method: Callable[[Handlers, _Context, Params], Coroutine[Any, Any, Result]],
) -> Callable[[Handlers, _Context, Params], Coroutine[Any, Any, Result]]:
    """For requests whose results cannot contain an error: raise only protocol errors, because the SDK would log and
    send any other exception unchanged.
    """

    @wraps(method)
    async def call(self: Handlers, context: _Context, params: Params) -> Result:
        try:
            return await method(self, context, params)
        except MCPError:
            raise
        except PalimpsestError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
        except Exception as error:  # noqa: BLE001  (sent without secrets)
            raise MCPError(types.INTERNAL_ERROR, self.named(error)) from None

    return call


class Handlers:
    """Answers the client's requests. `say` writes to standard error."""

    def __init__(self, engine: Engine, follower: Follower | None, say: Callable[[str], None]) -> None:
        self._engine = engine
        self._follower = follower
        self._say = say
        self._offers = {offer.name: offer for offer in make_offers(engine, follower)}

    async def list_tools(self, _: _Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(offer) for offer in self._offers.values()])

    async def call_tool(self, _: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        offer = self._offers.get(plain_name(params.name))
        if offer is None:
            names = ", ".join(self._offers)
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name[:80]!r}; there are {names}")
        unread = ""
        try:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                await self._catch_up()
                unread = self._unread()
                answer = await offer.answer(params.arguments or {})
        except TimeoutError:
            late = PalimpsestError(f"no answer within {CALL_TIMEOUT_S:g} s", hint="ask for less")
            answer = Answer(refusal(late))
        except PalimpsestError as error:
            answer = Answer(refusal(error))
        except Exception as error:  # noqa: BLE001  (sent to the client as a failed call)
            answer = Answer(refusal(PalimpsestError(self.named(error))))
        text = answer.text + ((unread or self._unread()) if offer.name in _FINDING else "")
        return types.CallToolResult(
            content=[types.TextContent(text=text)],
            structured_content=dict(answer.fields) if answer.fields is not None else None,
            is_error=answer.text.startswith(_REFUSED),
        )

    @_guarded
    async def list_resources(
        self, _: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        await self._catch_up()
        known = await self._engine.conversations()
        try:
            page, following = page_of(known, params.cursor if params else None)
        except NotFound as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        resources = [
            types.Resource(
                uri=uri_of("conversation", one.id),
                name=one.id,
                title=" ".join(one.title.split()) or one.id,
                description=f"{one.messages:,} messages, last changed {one.updated_at}",
                mime_type=_PLAIN,
            )
            for one in page
        ]
        return types.ListResourcesResult(resources=resources, next_cursor=following)

    async def list_templates(
        self, _: _Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=f"{SCHEME}://conversation/{{id}}{{?start}}",
                    name="conversation",
                    title="A conversation",
                    description='Its newest messages, or those from a position on. The id may be "last".',
                    mime_type=_PLAIN,
                ),
                types.ResourceTemplate(
                    uri_template=f"{SCHEME}://summary/{{id}}",
                    name="summary",
                    title="A summary",
                    description="The text that replaces messages that left the window, and its sources.",
                    mime_type=_PLAIN,
                ),
            ]
        )

    @_guarded
    async def read_resource(
        self, _: _Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            address = read_uri(params.uri)
            await self._catch_up()
            text = await read_text(self._engine, address)
        except PalimpsestError as error:
            code = types.INVALID_PARAMS if isinstance(error, NotFound) else types.INTERNAL_ERROR
            raise MCPError(code, str(error), data={"uri": params.uri[:200]}) from None
        content = types.TextResourceContents(uri=params.uri, mime_type=_PLAIN, text=text)
        return types.ReadResourceResult(contents=[content])

    @_guarded
    async def complete(self, _: _Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Conversation ids that begin with the typed text."""
        ids: list[str] = []
        reference = params.ref
        if isinstance(reference, types.ResourceTemplateReference) and "conversation" in reference.uri:
            typed = params.argument.value
            ids = [one.id for one in await self._engine.conversations() if one.id.startswith(typed)]
        return types.CompleteResult(
            completion=types.Completion(values=ids[:PAGE], total=len(ids), has_more=len(ids) > PAGE)
        )

    def named(self, error: Exception) -> str:
        """An unexpected error as text without secrets. Its traceback goes to standard error."""
        self._say(redact_error_text("".join(traceback.format_exception(error, limit=-_TRACED)).rstrip()))
        return redact_error_text(f"{type(error).__name__}: {error}")

    def _unread(self) -> str:
        """A note for searches while followed files are still unread."""
        pending = self._follower.now().pending if self._follower is not None else 0
        files = f"{pending:,} followed file{'s' * (pending != 1)}"
        return f"\nNot searched yet: {files}. Ask again for what they may contain." if pending else ""

    async def _catch_up(self) -> None:
        if self._follower is not None:
            await self._follower.catch_up()


def make_server(engine: Engine, follower: Follower | None, say: Callable[[str], None]) -> Server[Any]:
    """A server over one engine."""
    handlers = Handlers(engine, follower, say)
    return Server(
        SERVER_NAME,
        version=__version__,
        title="Palimpsest",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_completion=handlers.complete,
    )


def _tool(offer: Offer) -> types.Tool:
    return types.Tool(
        name=offer.name,
        title=offer.title,
        description=offer.description,
        input_schema=dict(offer.parameters),
        annotations=_READ_ONLY,
    )
