"""What is answered to a line that the SDK cannot read: an error, where the line says whose it is.

The SDK drops such a line (a number of thousands of digits, lists nested hundreds deep, half of a request), and its
client, which has sent a request, waits for ever. The id is looked for as text, because the line as a whole is not to be
parsed: it is the member of the outermost object only, so that no other request is answered in its place.
"""

from __future__ import annotations

import json
import re
from typing import cast

import mcp_types as types
from pydantic import ValidationError

_TOKEN = re.compile(
    r'(?P<string>"[^"\\]*(?:\\.[^"\\]*)*("?))|(?P<open>[\[{]+)|(?P<close>[\]}]+)|[^"\[\]{}]+', re.DOTALL
)
_VALUE = re.compile(r'\s*:\s*(?:(-?\d{1,18})|("(?:[^"\\]|\\.){0,200}"))\s*[,}]', re.ASCII)
_REASON_CHARS = 160


def refusal_of(line: str) -> types.JSONRPCError | None:
    """The answer to a line that is no message, None where it is one or says no id."""
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        reason = error.errors(include_url=False, include_context=False, include_input=False)[0]
        known = id_of(line)
        if known is None:
            return None
        code, said = types.INVALID_REQUEST, "it is no request"
        if reason["type"] == "json_invalid":
            code, said = types.PARSE_ERROR, reason["msg"][:_REASON_CHARS]
        return types.JSONRPCError(
            jsonrpc="2.0", id=known, error=types.ErrorData(code=code, message=f"cannot be read: {said}")
        )
    return None


def id_of(line: str) -> int | str | None:
    """The id that a line gives its request, None where it has none that can be told."""
    depth = 0
    for token in _TOKEN.finditer(line):
        match token.lastgroup:
            case "open":
                depth += len(token[0])
            case "close":
                depth -= len(token[0])
            case "string" if not token[2]:
                return None
            case "string" if depth == 1 and token["string"] == '"id"':
                if value := _VALUE.match(line, token.end()):
                    return _read(value[1] or value[2])
            case _:
                pass
    return None


def _read(value: str) -> int | str | None:
    try:
        return cast("int | str", json.loads(value))
    except ValueError:
        return None
