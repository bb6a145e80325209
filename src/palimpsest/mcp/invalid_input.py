"""Answers lines that the SDK cannot parse with an error, if they have an id.

The SDK drops such a line (a number with thousands of digits, deeply nested lists, half a request), and the client waits
forever. The id is searched for in the text, because the line cannot be parsed. Only that of the outermost object
counts.
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
    """The error for a line that is not a message; None if it is one, or has no id."""
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        reason = error.errors(include_url=False, include_context=False, include_input=False)[0]
        known = id_of(line)
        if known is None:
            return None
        code, said = types.INVALID_REQUEST, "it is not a request"
        if reason["type"] == "json_invalid":
            code, said = types.PARSE_ERROR, reason["msg"][:_REASON_CHARS]
        return types.JSONRPCError(
            jsonrpc="2.0", id=known, error=types.ErrorData(code=code, message=f"cannot be read: {said}")
        )
    return None


def id_of(line: str) -> int | str | None:
    """The id of the request in a line, None if it cannot be found."""
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
