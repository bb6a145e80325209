"""Rules of Gemini's generateContent. Names are read in either spelling, and unknown ones are refused, as the API
does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from palimpsest.formats.rules.value_shape import Fields, as_list, as_object, is_base64, transport_breaches
from palimpsest.lazy_regex import later

MAX_FUNCTIONS = 512
_NAME = later(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
_UNDERSCORE = later(r"_([a-z])")
_FILE_URI = later(r"(https?|gs)://\S+")
_REQUEST = frozenset(
    "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent model labels".split()
)
_KINDS = (
    *("text", "functionCall", "functionResponse", "inlineData", "fileData"),
    *("executableCode", "codeExecutionResult", "toolCall", "toolResponse"),
)
_BESIDE = frozenset("thought thoughtSignature videoMetadata mediaResolution partMetadata".split())
_MODEL_ONLY = ("functionCall", "executableCode", "codeExecutionResult", "toolCall", "toolResponse")
_CALL = frozenset("id name args".split())
_RESPONSE = frozenset("id name response parts willContinue scheduling".split())
_TOOL = frozenset(
    "functionDeclarations googleSearch googleSearchRetrieval googleMaps codeExecution urlContext fileSearch "
    "computerUse enterpriseWebSearch retrieval".split()
)
_FUNCTION = frozenset(
    "name description parameters parametersJsonSchema response responseJsonSchema behavior".split()
)
_MIME = {
    "image": ("png", "jpeg", "webp", "heic", "heif"),
    "audio": ("wav", "mp3", "mpeg", "aiff", "aac", "ogg", "flac", "x-wav", "m4a", "opus", "pcm"),
    "video": ("mp4", "mpeg", "mov", "mpegps", "mpg", "avi", "x-flv", "webm", "wmv", "3gpp", "quicktime"),
    "application": ("pdf",),
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call that the next content must answer."""

    name: object
    id: object


def gemini_breaches(request: Mapping[str, object]) -> tuple[str, ...]:
    """Return why Gemini would refuse this request, one sentence each, with the place."""
    body = _named(request)
    unknown = [f"the request has an unknown field {key!r}" for key in body if key not in _REQUEST]
    return (*unknown, *_contents(body), *_system(body), *_tools(body), *transport_breaches(request))


def _named(value: object) -> Fields:
    """Return an object with the wire's names; anything else counts as an empty one."""
    found = as_object(value) or {}
    return {_UNDERSCORE.sub(lambda at: at[1].upper(), key): inner for key, inner in found.items()}


def _contents(body: Fields) -> Iterator[str]:
    contents = as_list(body.get("contents"))
    if not contents:
        yield "contents is not a list with at least one content"
        return
    before: object = "model"
    asked: list[_Asked] = []
    for index, raw in enumerate(contents):
        where, content = f"contents[{index}]", _named(raw)
        role, parts = content.get("role"), as_list(content.get("parts"))
        if role not in ("user", "model"):
            yield f"{where} has role {role!r}"
        if role == before:
            yield (
                f"{where} is of role {role}, like the one before it"
                if index
                else "the first content is not the user's"
            )
        before = role
        yield from (
            f"{where} has an unknown field {key!r}" for key in content if key not in ("role", "parts")
        )
        if not parts:
            yield f"{where} has parts that are not a list with at least one part"
            continue
        named = [_named(part) for part in parts]
        yield from _answers(named, asked, where)
        asked = [_asked(part) for part in named if "functionCall" in part]
        for number, part in enumerate(named):
            yield from _part(part, f"{where}.parts[{number}]", role == "model")
        if all(part.get("thought") for part in named):
            yield f"{where} has nothing but thoughts"
    for call in asked:
        yield f"the call of {call.name!r} has no function response in the next content"


def _asked(part: Fields) -> _Asked:
    call = _named(part["functionCall"])
    return _Asked(call.get("name"), call.get("id"))


def _answers(parts: list[Fields], asked: list[_Asked], where: str) -> Iterator[str]:
    """Check that every call of the content before is answered here, in order, and nothing else is."""
    given = [_named(part["functionResponse"]) for part in parts if "functionResponse" in part]
    if len(given) != len(asked):
        yield f"{where} has {len(given)} function responses for {len(asked)} function calls before it"
        return
    if any("functionResponse" not in part for part in parts[: len(given)]):
        yield f"{where} has other parts before a function response"
    for call, response in zip(asked, given, strict=True):
        if response.get("name") != call.name:
            yield f"{where} answers {response.get('name')!r} where {call.name!r} was called"
        if response.get("id") != call.id:
            yield f"{where} answers the id {response.get('id')!r} where {call.id!r} was called"


def _part(part: Fields, where: str, model: bool) -> Iterator[str]:
    kinds = [key for key in part if key in _KINDS]
    yield from (f"{where} has an unknown field {key!r}" for key in part if key not in (*_KINDS, *_BESIDE))
    if len(kinds) != 1:
        yield f"{where} holds {' and '.join(kinds) or 'nothing'}; a part holds one thing"
        return
    kind = kinds[0]
    if (kind in _MODEL_ONLY and not model) or (kind == "functionResponse" and model):
        yield f"{where} has a {kind}, which a content of role {'model' if model else 'user'} cannot hold"
    signature = part.get("thoughtSignature")
    if signature is not None and not _is_bytes(signature):
        yield f"{where} has a thoughtSignature that is no base64"
    if part.get("thought") and not (model and kind == "text"):
        yield f"{where} is a thought, which only the model's words can be"
    if kind == "text":
        text = part["text"]
        if not isinstance(text, str) or not (text.strip() or signature):
            yield f"{where} is a text without words"
    elif kind == "functionCall":
        yield from _function(part[kind], where, _CALL, "args")
    elif kind == "functionResponse":
        yield from _function(part[kind], where, _RESPONSE, "response")
        yield from _inner_parts(part[kind], where)
    elif kind in ("inlineData", "fileData"):
        yield from _media(part[kind], kind, where)
    elif not as_object(part[kind]):
        yield f"{where} has an empty {kind}"


def _is_bytes(value: object) -> bool:
    """Return whether `value` is base64 text in either alphabet; padding may be missing."""
    if not isinstance(value, str):
        return False
    text = value.replace("-", "+").replace("_", "/").rstrip("=")
    return is_base64(text + "=" * (-len(text) % 4))


def _function(value: object, where: str, known: frozenset[str], payload: str) -> Iterator[str]:
    inner = _named(value)
    yield from (f"{where} has an unknown field {key!r}" for key in inner if key not in known)
    if not _is_name(inner.get("name")):
        yield f"{where} has the name {inner.get('name')!r}"
    if "id" in inner and not (isinstance(inner["id"], str) and inner["id"]):
        yield f"{where} has the id {inner['id']!r}"
    if as_object(inner.get(payload, {} if payload == "args" else None)) is None:
        yield f"{where} has {payload} that is no object"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _inner_parts(value: object, where: str) -> Iterator[str]:
    for number, raw in enumerate(as_list(_named(value).get("parts")) or []):
        part, place = _named(raw), f"{where}.parts[{number}]"
        if len(part) != 1 or next(iter(part)) not in ("inlineData", "fileData"):
            yield f"{place} holds {' and '.join(part) or 'nothing'}; it must hold media"
            continue
        yield from (problem for kind in part for problem in _media(part[kind], kind, place))


def _media(value: object, kind: str, where: str) -> Iterator[str]:
    inner = _named(value)
    mime = inner.get("mimeType")
    content = "data" if kind == "inlineData" else "fileUri"
    yield from (
        f"{where} has an unknown field {key!r}"
        for key in inner
        if key not in ("mimeType", "displayName", content)
    )
    if not (_is_mime(mime) or (kind == "fileData" and mime is None)):
        yield f"{where} has mimeType {mime!r}"
    if kind == "inlineData" and not _is_bytes(inner.get("data")):
        yield f"{where} has data that is no base64"
    if kind == "fileData":
        uri = inner.get("fileUri")
        if not isinstance(uri, str) or not _FILE_URI.fullmatch(uri):
            yield f"{where} has no address of a file"


def _is_mime(value: object) -> bool:
    kind, _, rest = value.partition("/") if isinstance(value, str) else ("", "", "")
    return bool(rest) and (kind == "text" or rest in _MIME.get(kind, ()))


def _system(body: Fields) -> Iterator[str]:
    if "systemInstruction" not in body:
        return
    content = _named(body["systemInstruction"])
    parts = as_list(content.get("parts"))
    yield from (
        f"systemInstruction has an unknown field {key!r}" for key in content if key not in ("role", "parts")
    )
    if not parts:
        yield "systemInstruction has parts that are not a list with at least one part"
        return
    for index, raw in enumerate(parts):
        part = as_object(raw) or {}
        text = part.get("text")
        if list(part) != ["text"] or not isinstance(text, str) or not text.strip():
            yield f"systemInstruction.parts[{index}] is no text with words"


def _tools(body: Fields) -> Iterator[str]:
    if "tools" not in body:
        return
    tools = as_list(body["tools"])
    if tools is None:
        yield "tools is not a list"
        return
    names: set[object] = set()
    for index, raw in enumerate(tools):
        where, tool = f"tools[{index}]", _named(raw)
        yield from (f"{where} has an unknown field {key!r}" for key in tool if key not in _TOOL)
        if not tool:
            yield f"{where} is empty"
        declared = as_list(tool.get("functionDeclarations", [])) or []
        if "functionDeclarations" in tool and not declared:
            yield f"{where} declares no function"
        for number, one in enumerate(declared):
            yield from _declaration(_named(one), f"{where}.functionDeclarations[{number}]", names)
    if len(names) > MAX_FUNCTIONS:
        yield f"tools declare {len(names)} functions; at most {MAX_FUNCTIONS} may"


def _declaration(found: Fields, where: str, names: set[object]) -> Iterator[str]:
    yield from (f"{where} has an unknown field {key!r}" for key in found if key not in _FUNCTION)
    name = found.get("name")
    if not _is_name(name):
        yield f"{where} has no valid name"
    elif name in names:
        yield f"{where} repeats the name {name!r}"
    names.add(name if isinstance(name, str) else where)
    if not isinstance(found.get("description", ""), str):
        yield f"{where} has a description that is no string"
    if "parameters" in found and "parametersJsonSchema" in found:
        yield f"{where} has its parameters twice"
    for key in ("parameters", "parametersJsonSchema"):
        schema = as_object(found.get(key))
        if key in found and (schema is None or str(schema.get("type")).lower() != "object"):
            yield f"{where} has {key} that are no schema of type object"
