"""Hypothesis strategies shared by the tests: messages, histories, and the providers' own dicts.

Histories are made the way they go wrong in life: parallel calls answered in any order, late, twice or never, results of
calls nobody made, ids used again, blank messages, media in odd places, scripts without spaces, halves of characters.

A strategy is made once: one that is made anew for each draw is looked through each time before it draws.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from functools import cache

from hypothesis import strategies as st

from palimpsest.record.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

ODD_TEXTS = (
    "", " ", "\n\t", "ends in space \n", "好的，请继续检查日志", "テストを直してください", "파일을 열어 주세요",
    "\ud800", "cut \udc00 here", "\ud83d\ude42", "🙂 done", "\x00\x1f", "[error]", "{}", '{"type":"text"}',
)  # fmt: skip
IDS = ("\ud800", "\ud801", "call_1", "call_2", "call_3", "toolu_a", "", "id with space", "x" * 70, "調用1")
NAMES = ("read_file", "bash", "mcp.server.tool", "名前", "", "n" * 80, "search")
ODD_ARGUMENTS = (
    "",
    "{}",
    "[1,2]",
    "null",
    '"text"',
    "not json",
    '{"a":',
    '{"a": NaN}',
    '{"s":"\\ud800"}',
    '{"a":{"b":[1,{"c":"好"}]}}',
)
PNG = base64.b64encode(b"\x89PNG invented").decode()


@cache
def texts() -> st.SearchStrategy[str]:
    """Words of any kind, blank and broken ones among them."""
    return st.sampled_from(ODD_TEXTS) | st.text(max_size=30) | st.text("abc \n", max_size=300)


@cache
def media() -> st.SearchStrategy[Media]:
    """Media that providers take and media that they do not."""
    return st.sampled_from(
        (
            Media("image/png", data=PNG, size_bytes=13),
            Media("image", uri="https://example.org/a.png"),
            Media("application/pdf", data=PNG, size_bytes=13),
            Media("document", uri="https://example.org/a.pdf"),
            Media("audio/wav", data=PNG, size_bytes=13),
            Media("image/tiff", data=PNG, size_bytes=13),
            Media("image/png", data="cut", size_bytes=2),
            Media("video/mp4", uri="file-123"),
            Media("file", uri="file-123"),
            Media("image", uri="data:image/png,abc"),
            Media(""),
        )
    )


@cache
def reasoning() -> st.SearchStrategy[Reasoning]:
    """Thinking, signed or not, in words or encrypted."""
    return st.builds(Reasoning, texts(), st.sampled_from(("", "c2lnbmVk")), st.booleans())


@cache
def arguments() -> st.SearchStrategy[str]:
    """The JSON text of a call's arguments, and text that is none."""
    objects = st.dictionaries(st.sampled_from(("path", "cmd", "名")), texts() | st.integers(), max_size=3)
    return st.sampled_from(ODD_ARGUMENTS) | objects.map(lambda value: json.dumps(value, ensure_ascii=False))


@cache
def calls() -> st.SearchStrategy[ToolCall]:
    """Tool calls, with ids that other calls may have too."""
    return st.builds(ToolCall, st.sampled_from(IDS), st.sampled_from(NAMES), arguments())


@cache
def results(ids: Sequence[str] = IDS) -> st.SearchStrategy[ToolResult]:
    """Tool results, with or without content."""
    content = st.lists(texts().map(Text) | media(), max_size=3).map(tuple)
    return st.builds(ToolResult, st.sampled_from(ids), content, st.booleans())


@cache
def wires() -> st.SearchStrategy[str]:
    """The form a message came in."""
    return st.sampled_from(("", "openai", "anthropic", "gemini", "bedrock", "common", "responses"))


@cache
def messages() -> st.SearchStrategy[Message]:
    """Any message a program could build, parts out of place included."""
    words = texts().map(Text)
    opaque = st.builds(
        Opaque, st.just("compaction"), st.sampled_from(('{"type":"compaction"}', "cut", "[1]"))
    )
    anything: st.SearchStrategy[Part] = words | media() | reasoning() | calls() | results() | opaque
    speaker = st.sampled_from(("", "ann", "Ann B.", "<x>"))
    by_role = {
        "system": st.lists(words, max_size=2),
        "user": st.lists(words | media(), max_size=3),
        "assistant": st.lists(words | reasoning() | calls(), max_size=4),
        "tool": st.lists(results(), min_size=1, max_size=3),
    }
    usual = [
        st.builds(Message, st.just(role), parts.map(tuple), speaker, wire=wires())
        for role, parts in by_role.items()
    ]
    odd = st.builds(
        Message, st.sampled_from(tuple(by_role)), st.lists(anything, max_size=4).map(tuple), wire=wires()
    )
    return st.one_of(*usual, odd)


@st.composite
def groups(draw: st.DrawFn) -> list[Message]:
    """An assistant message with calls, and results: in any order, some missing, behind other messages or twice."""
    wire = draw(wires())
    made = draw(st.lists(calls(), min_size=1, max_size=4))
    opening = draw(st.lists(texts().map(Text) | reasoning(), max_size=2))
    group = [Message("assistant", (*opening, *made), wire=wire)]
    answered = draw(st.permutations(made))[: draw(st.integers(0, len(made)))]
    for call in answered:
        if draw(st.integers(0, 5)) == 0:
            group.append(Message("user", (Text(draw(texts())),), wire=wire))
        given = draw(results((call.id,)))
        group.append(Message("tool", (given,), wire=wire))
        if draw(st.integers(0, 8)) == 0:
            group.append(group[-1])
    return group


@cache
def exchanges() -> st.SearchStrategy[list[Message]]:
    """A group, or one message of any kind."""
    return groups() | messages().map(lambda message: [message])


@st.composite
def histories(draw: st.DrawFn, max_size: int = 8) -> list[Message]:
    """A list of messages with at least one, valid or not."""
    steps = draw(st.lists(exchanges(), min_size=1, max_size=max_size))
    return [message for step in steps for message in step]


@cache
def json_values() -> st.SearchStrategy[object]:
    """Values that JSON can carry."""
    flat = (
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts()
    )
    return st.recursive(
        flat,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
        max_leaves=4,
    )


@cache
def unknown() -> st.SearchStrategy[dict[str, object]]:
    """Fields no provider documents, some of them looking like our own marks."""
    keys: tuple[str, ...] = ("x_trace", "metadata", "~", "~shape", "timestamp", "usage", "model", "index")
    none = st.builds(dict[str, object])  # a new one for each draw: what is drawn goes on growing
    return none | st.dictionaries(st.sampled_from(keys).map(str), json_values(), max_size=2)


def _with(*choices: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
    """Dicts merged of one draw from each strategy, later ones winning."""
    return st.tuples(unknown(), *choices).map(
        lambda found: {key: value for one in found for key, value in one.items()}
    )


def _fields(**fields: object) -> st.SearchStrategy[dict[str, object]]:
    drawn = {
        key: value if isinstance(value, st.SearchStrategy) else st.just(value)
        for key, value in fields.items()
    }
    return st.fixed_dictionaries(drawn)


def _maybe(**fields: object) -> st.SearchStrategy[dict[str, object]]:
    return st.just({}) | _fields(**fields)


@cache
def _cache() -> st.SearchStrategy[dict[str, object]]:
    return _maybe(cache_control={"type": "ephemeral"})


@cache
def openai_dicts() -> st.SearchStrategy[dict[str, object]]:
    """Chat message dicts: every documented field, absent, null or set, and unknown ones at every level."""
    data_uri = f"data:image/png;base64,{PNG}"
    url = st.sampled_from((data_uri, "https://example.org/a.png", "data:,x"))
    text = _with(_fields(type="text", text=texts()), _cache())
    shown = st.one_of(
        _with(_fields(type="image_url", image_url=_with(_fields(url=url), _maybe(detail="low")))),
        _with(
            _fields(
                type="input_audio",
                input_audio=_with(_fields(data=PNG, format=st.sampled_from(("wav", "mp3")))),
            )
        ),
        _with(_fields(type="file", file=_with(_fields(file_id="file-1")))),
        _with(
            _fields(
                type="file",
                file=_with(_fields(file_data=f"data:application/pdf;base64,{PNG}"), _maybe(filename="a.pdf")),
            )
        ),
        _with(_fields(type="novel_part", novel=json_values()), _cache()),
    )
    words = texts() | st.lists(text, max_size=3)
    prompt = _with(
        _fields(role=st.sampled_from(("system", "developer", "user")), content=words), _maybe(name="ann"),
    )  # fmt: skip
    rich = _with(_fields(role="user", content=st.lists(text | shown, max_size=3)))
    return st.one_of(prompt, rich, _openai_assistants(text), _openai_results(text))


def _openai_assistants(text: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
    function = _with(_fields(name=st.sampled_from(NAMES), arguments=arguments()))
    call = _with(_fields(id=st.sampled_from(IDS), type="function", function=function))
    custom = _with(_fields(id="call_9", type="custom", custom=_with(_fields(name="sql", input=texts()))))
    refusal = _with(_fields(type="refusal", refusal=texts()))
    content = st.none() | texts() | st.lists(text | refusal, max_size=2)
    silent = st.sampled_from((None, ""))
    return _with(
        _fields(role="assistant"),
        st.just({}) | _fields(content=content),
        _maybe(tool_calls=st.lists(call | custom, max_size=3) | st.none()),
        _maybe(refusal=texts() | silent),
        _maybe(audio=st.none() | _with(_fields(id="audio_1"), _maybe(transcript=texts()))),
        _maybe(reasoning_content=texts() | silent),
        _maybe(reasoning=texts() | silent),
        _maybe(function_call=st.none() | function),
        _maybe(annotations=st.just([])),
        _maybe(name="helper"),
    )


def _openai_results(text: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
    content = texts() | st.lists(text, max_size=2)
    tool = _with(
        _fields(role="tool", tool_call_id=st.sampled_from(IDS), content=content), _maybe(name="bash")
    )
    function = _with(_fields(role="function", name="bash", content=st.none() | texts()))
    return tool | function


@cache
def anthropic_dicts() -> st.SearchStrategy[dict[str, object]]:
    """Message dicts of either role: every documented block, and unknown fields at every level."""
    citations = st.none() | st.just([{"type": "char_location", "cited_text": "a", "document_index": 0}])
    text = _with(_fields(type="text", text=texts()), _cache(), _maybe(citations=citations))
    shown = st.one_of(
        _with(
            _fields(type="image", source=_with(_fields(type="base64", media_type="image/png", data=PNG))),
            _cache(),
        ),
        _with(_fields(type="image", source=_with(_fields(type="url", url="https://example.org/a.png")))),
        _with(_fields(type="image", source=_fields(type="file", file_id="file_1"))),
        _with(
            _fields(type="document", source=_fields(type="base64", media_type="application/pdf", data=PNG)),
            _maybe(title="T"),
        ),
        _with(
            _fields(type="document", source=_fields(type="text", media_type="text/plain", data=texts())),
            _maybe(context="c"),
        ),
        _with(_fields(type="document", source=_fields(type="content", content=texts()))),
        _with(
            _fields(type="search_result", source="a", title="b", content=st.lists(text, max_size=1)), _cache()
        ),
    )
    inner = st.lists(text | shown, max_size=2)
    result = _with(
        _fields(type="tool_result", tool_use_id=st.sampled_from(IDS)),
        _maybe(content=texts() | inner),
        _maybe(is_error=st.booleans()),
        _cache(),
    )
    user = st.lists(text | shown | result, max_size=4)
    spoken = st.lists(text | _thinking() | _uses(), max_size=4)
    return st.one_of(
        _with(_fields(role="user", content=texts() | user)),
        _with(_fields(role="assistant", content=texts() | spoken)),
    )


@cache
def _thinking() -> st.SearchStrategy[dict[str, object]]:
    thinking = _with(
        _fields(type="thinking", thinking=texts()), _maybe(signature=st.sampled_from(("", "c2lnbmVk")))
    )
    return thinking | _with(_fields(type="redacted_thinking", data="b3BhcXVl"))


@cache
def _uses() -> st.SearchStrategy[dict[str, object]]:
    given = st.dictionaries(st.text(max_size=4), json_values(), max_size=2)
    tool_use = _with(
        _fields(type="tool_use", id=st.sampled_from(IDS), name=st.sampled_from(NAMES), input=given), _cache()
    )
    server = _with(_fields(type="server_tool_use", id="srvtoolu_1", name="web_search", input=given))
    found = _with(_fields(type="web_search_tool_result", tool_use_id="srvtoolu_1", content=st.just([])))
    return tool_use | server | found


@st.composite
def gemini_dicts(draw: st.DrawFn) -> dict[str, object]:
    """Contents of either role: every documented part in either spelling, and unknown fields at every level."""
    out = draw(unknown())
    if (role := draw(st.sampled_from(("user", "model", "function", "system", None, "")))) != "":
        out["role"] = role
    out["parts"] = (
        None if draw(st.integers(0, 9)) == 0 else [_gemini_part(draw) for _ in range(draw(st.integers(0, 3)))]
    )
    return out


def _gemini_part(draw: st.DrawFn) -> dict[str, object]:
    part = draw(unknown())
    if draw(st.booleans()):
        key = draw(st.sampled_from(("thoughtSignature", "thought_signature")))
        part[key] = draw(st.sampled_from(("", "c2lnbmVk", "__4A", "c2ln+/8=")))
    mime, data = (
        st.sampled_from(("image/png", "image/tiff", "")),
        st.sampled_from((PNG, "_-8=", "+/8=", "cut")),
    )
    uri = st.sampled_from(("https://example.org/files/a", "gs://bucket/a.png", "files/a"))
    kind = draw(
        st.sampled_from(
            ("text", "thought", "call", "result", "inline", "inlineData", "file", "server", "two")
        )
    )
    match kind:
        case "text":
            part["text"] = draw(texts())
        case "thought":
            part |= {"text": draw(texts()), "thought": draw(st.sampled_from((True, False, None)))}
        case "call":
            part[draw(st.sampled_from(("functionCall", "function_call")))] = _gemini_function(draw, "args")
        case "result":
            part[draw(st.sampled_from(("functionResponse", "function_response")))] = _gemini_function(
                draw, "response"
            )
        case "inline":
            part["inline_data"] = {
                draw(st.sampled_from(("mime_type", "mimeType"))): draw(mime),
                "data": draw(data),
            }
        case "inlineData":
            part["inlineData"] = {"mimeType": draw(mime), "data": draw(data), "displayName": "a"}
        case "file":
            part |= {
                "fileData": {"fileUri": draw(uri), "mimeType": draw(mime | st.none())},
                "videoMetadata": {"fps": 1},
            }
        case "server":
            code = {"executableCode": {"language": "PYTHON", "code": draw(texts())}}
            ran = {"code_execution_result": {"outcome": "OUTCOME_OK", "output": draw(texts())}}
            part |= draw(st.sampled_from((code, ran, {"novelPart": 1}, {})))
        case _:
            part |= {"text": draw(texts()), "functionCall": {"name": "ls"}}
    return part


def _gemini_function(draw: st.DrawFn, payload: str) -> dict[str, object]:
    """What a call or a response holds."""
    inner: dict[str, object] = {"name": draw(st.sampled_from([name for name in NAMES if name]))}
    if draw(st.booleans()):
        inner["id"] = draw(st.sampled_from(IDS) | st.none())
    said = texts() if draw(st.booleans()) else json_values()
    forms: list[object] = [draw(st.dictionaries(st.text(max_size=4), json_values(), max_size=2)), None, {}]
    if payload == "response":
        forms += [{key: draw(said)} for key in ("output", "result", "error")] + [
            {"error": draw(said), "code": 3}
        ]
        picture = {"inlineData": {"mimeType": "image/png", "data": PNG, "displayName": "a"}}
        if draw(st.booleans()):
            inner["parts"] = draw(st.sampled_from(([picture], [], [None, picture], "none")))
    if (form := draw(st.integers(0, len(forms)))) < len(forms):
        inner[payload] = forms[form]
    return inner


@cache
def bedrock_dicts() -> st.SearchStrategy[dict[str, object]]:
    """Converse messages of either role: every documented block, and unknown fields at every level."""

    def block(
        kind: str, *inner: st.SearchStrategy[dict[str, object]]
    ) -> st.SearchStrategy[dict[str, object]]:
        return _with(_fields(**{kind: _with(*inner)}))

    data = st.sampled_from((b"\x89PNG invented", PNG, "cut", b""))
    place = _with(
        _fields(uri=st.sampled_from(("s3://bucket/a", "bucket"))), _maybe(bucketOwner="123456789012")
    )
    source = _fields(bytes=data) | _fields(s3Location=place) | st.just({"bytes": b"a", "text": "b"})
    image = _with(_fields(source=source), _maybe(format=st.sampled_from(("png", "tiff", None))))
    named = _maybe(name=st.sampled_from(("a", "a b", "a_b: 1")), context="c", citations={"enabled": True})
    read = source | _fields(text=texts()) | _fields(content=st.just([{"text": "a"}]))
    document = _with(_fields(source=read), _maybe(format=st.sampled_from(("pdf", "md", "odt"))), named)
    words = _with(_fields(text=texts()))
    shown = st.one_of(
        block("image", image), block("document", document), block("video", _fields(format="three_gp", source=source)),
        block("searchResult", _fields(source="a", title="b", content=st.just([{"text": "a"}]))),
    )  # fmt: skip
    point = _fields(cachePoint=_with(_fields(type="default"), _maybe(ttl=st.sampled_from(("1h", "9h")))))
    content = st.lists(words | shown | st.fixed_dictionaries({"json": json_values()}), max_size=2)
    call_id = st.sampled_from(IDS)
    hosted = _maybe(type="server_tool_use")
    result = block(
        "toolResult", _fields(toolUseId=call_id), st.just({}) | _fields(content=content | st.none()),
        _maybe(status=st.sampled_from(("success", "error"))), hosted,
    )  # fmt: skip
    given = st.dictionaries(st.text(max_size=4), json_values(), max_size=2)
    call = block(
        "toolUse",
        _fields(toolUseId=call_id, name=st.sampled_from(NAMES)),
        _maybe(input=given | st.none()),
        hosted,
    )
    thought = _fields(
        reasoningText=_with(_fields(text=texts()), _maybe(signature=st.sampled_from(("", "c2lnbmVk"))))
    )
    thinking = block("reasoningContent", thought | _fields(redactedContent=data))
    cited = block(
        "citationsContent", _fields(content=st.lists(words, max_size=2)), _maybe(citations=[{"title": "T"}])
    )
    guarded = block("guardContent", _fields(text=_with(_fields(text=texts()))) | _fields(image=image))
    broken: tuple[dict[str, object], ...] = (
        {"novel": {"a": 1}}, {"novel": {"a": b"1", "b": [b"2"]}}, {"text": 3}, {"image": {}},
        {"text": "a", "image": 1}, {},
    )  # fmt: skip
    odd = st.sampled_from(broken)
    spoken = words | thinking | call | cited | point | result | odd
    return _with(
        _fields(role="user", content=_known(words | shown | result | guarded | point | odd))
    ) | _with(_fields(role="assistant", content=_known(spoken)))


def _known(block: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[list[dict[str, object]]]:
    """Content with at least one block that tells whose it is."""
    return st.tuples(st.just({"text": "a"}), st.lists(block, max_size=4)).map(
        lambda found: [*found[1], dict[str, object](found[0])]
    )


class _Ids:
    """Ids that no other item of a history has."""

    def __init__(self) -> None:
        self.count = 0

    def new(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}_{self.count}"


@st.composite
def response_items(draw: st.DrawFn, max_turns: int = 3) -> list[dict[str, object]]:
    """The items of a conversation over OpenAI's Responses: every call is answered, and no id occurs twice."""
    ids = _Ids()
    found: list[dict[str, object]] = []
    for _ in range(draw(st.integers(1, max_turns))):
        found.append(_item_prompt(draw, "user"))
        for _ in range(draw(st.integers(0, 2))):
            reply, outputs = _item_reply(draw, ids)
            found += reply + draw(st.permutations(outputs))
            if draw(st.integers(0, 4)) == 0:
                found.append(_item_prompt(draw, draw(st.sampled_from(("system", "developer")))))
            if draw(st.integers(0, 4)) == 0:
                found.append({"type": "compaction", "encrypted_content": "b3BhcXVl", "id": ids.new("cmp")})
            if draw(st.integers(0, 4)) == 0:
                given = draw(st.sampled_from(_PROMPTED_ITEMS))
                found.append({**given, "id": ids.new("item")} if "id" in given else given)
    return found


@st.composite
def response_outputs(draw: st.DrawFn) -> list[dict[str, object]]:
    """The items of one response."""
    return _item_reply(draw, _Ids())[0]


_PROMPTED_ITEMS: tuple[dict[str, object], ...] = (
    {"type": "configuration_update", "reasoning": {"effort": "high"}},
    {"type": "additional_tools", "role": "developer", "tools": [{"type": "web_search"}]},
    {"type": "item_reference", "id": "msg_kept"},
    {"type": "program_output", "id": "prgo_1", "call_id": "prog_1", "result": "5", "status": "completed"},
    {"type": "hologram_response", "beam": [1, None, {"wide": True}]},
)


def _words(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(("Pier 3.", "🙂 done", "テスト", "a\n\nb", "{}")))


_SHOWN_PIECES: tuple[dict[str, object], ...] = (
    {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "low"},
    {"type": "input_image", "file_id": "file_1", "detail": "auto"},
    {"type": "input_file", "file_url": "https://example.org/a.pdf"},
    {"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PNG}"},
    {"type": "hologram", "beam": 3},
)


def _item_prompt(draw: st.DrawFn, role: str) -> dict[str, object]:
    pieces: list[dict[str, object]] = [{"type": "input_text", "text": _words(draw)}]
    if role == "user":
        pieces += draw(st.lists(st.sampled_from(_SHOWN_PIECES), max_size=2))
    content: object = pieces if draw(st.booleans()) else _words(draw)
    kind: dict[str, object] = {"type": "message"} if draw(st.booleans()) else {}
    return {**kind, "role": role, "content": content}


def _item_reply(draw: st.DrawFn, ids: _Ids) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """One response's items, and the outputs of its calls."""
    reply: list[dict[str, object]] = []
    outputs: list[dict[str, object]] = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            reply.append(_item_reasoning(draw, ids))
        match draw(st.sampled_from(("said", "call", "call", "hosted"))):
            case "said":
                reply.append(_item_said(draw))
            case "hosted":
                reply.append({**draw(st.sampled_from(_HOSTED_ITEMS)), "id": ids.new("hosted")})
            case _:
                call, output = _item_call(draw, ids)
                reply.append(call)
                outputs.append(output)
    return reply, outputs


_HOSTED_ITEMS: tuple[dict[str, object], ...] = (
    {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "ferry"}},
    {"type": "file_search_call", "status": "completed", "queries": ["pier"], "results": None},
    {"type": "code_interpreter_call", "status": "completed", "code": "1", "container_id": "c", "outputs": []},
    {"type": "image_generation_call", "status": "completed", "result": PNG},
    {"type": "mcp_list_tools", "server_label": "port", "tools": []},
    {"type": "mcp_call", "server_label": "port", "name": "tide", "arguments": "{}", "output": "14:05"},
    {
        "type": "tool_search_call",
        "execution": "server",
        "call_id": None,
        "arguments": {},
        "status": "completed",
    },
    {"type": "program", "call_id": "prog_1", "code": "1", "fingerprint": "f"},
    {"type": "hologram_call", "beam": 3},
)


def _item_reasoning(draw: st.DrawFn, ids: _Ids) -> dict[str, object]:
    summary = [
        {"type": "summary_text", "text": text} for text in ("Look.", "好", "")[: draw(st.integers(0, 3))]
    ]
    found: dict[str, object] = {"type": "reasoning", "id": ids.new("rs"), "summary": summary}
    sealed = draw(st.booleans())
    if sealed:
        found["encrypted_content"] = "b3BhcXVl"
    if not sealed or draw(st.booleans()):
        found["content"] = [{"type": "reasoning_text", "text": "Look it up."}]
    return found


def _item_said(draw: st.DrawFn) -> dict[str, object]:
    text: dict[str, object] = {"type": "output_text", "text": _words(draw), "annotations": []}
    refusal: dict[str, object] = {"type": "refusal", "refusal": "No."}
    phase = draw(st.sampled_from(({}, {"phase": "commentary"}, {"phase": "final_answer"})))
    content = draw(st.sampled_from(([text], [text, text], [refusal], [text, refusal])))
    if phase and draw(st.booleans()):
        return {"role": "assistant", "content": _words(draw), **phase}
    return {"type": "message", "role": "assistant", "content": content, **phase}


_Exchange = tuple[str, dict[str, object], dict[str, object]]


def _item_call(draw: st.DrawFn, ids: _Ids) -> tuple[dict[str, object], dict[str, object]]:
    """A call that the client runs, and its output."""
    call_id = {"call_id": ids.new("call")}
    done: dict[str, object] = {"status": "completed"}
    failed: dict[str, object] = {"status": "failed", "output": "no such file"}
    words: list[dict[str, object]] = [{"type": "input_text", "text": _words(draw)}]
    output = draw(st.sampled_from((words, "14:05", "")))
    shown = {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{PNG}"}
    chunk = {"stdout": _words(draw), "stderr": "", "outcome": {"type": "exit", "exit_code": 2}}
    pairs: tuple[_Exchange, ...] = (
        (
            "function_call",
            {"name": "tide", "arguments": '{"pier": 3}', "namespace": "port"},
            {"output": output},
        ),
        ("custom_tool_call", {"name": "sql", "input": _words(draw)}, {"output": output}),
        (
            "local_shell_call",
            {"id": ids.new("lsh"), "action": {"type": "exec", "command": ["ls"], "env": {}}, **done},
            {"output": "a.txt"},
        ),
        ("shell_call", {"action": {"commands": ["ls"]}}, {"output": [chunk], "max_output_length": 9}),
        (
            "apply_patch_call",
            {"operation": {"type": "delete_file", "path": "a"}, **done},
            draw(st.sampled_from((done, failed))),
        ),
        (
            "computer_call",
            {"id": ids.new("cu"), "actions": [{"type": "screenshot"}], "pending_safety_checks": [], **done},
            {"output": shown, "acknowledged_safety_checks": []},
        ),
        (
            "tool_search_call",
            {"execution": "client", "arguments": {"goal": "x"}},
            {"tools": [], "execution": "client"},
        ),
        ("hologram_call", {"beam": 3, "arguments": {"a": 1}}, {"output": {"a": [1]}}),
        (
            "mcp_approval_request",
            {"name": "tide", "server_label": "port", "arguments": "{}"},
            {"approve": True},
        ),
    )
    kind, asked, answered = draw(st.sampled_from(pairs))
    if kind == "mcp_approval_request":
        found = ids.new("mcpr")
        answer = {"type": "mcp_approval_response", "approval_request_id": found, **answered}
        return {"type": kind, "id": found, **asked}, answer
    name = "tool_search_output" if kind == "tool_search_call" else f"{kind}_output"
    return {"type": kind, **call_id, **asked}, {"type": name, **call_id, **answered}
