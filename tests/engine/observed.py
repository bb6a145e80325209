"""Messages of a given size. Processes that tests start take them from here: the strategies take longer to import."""

from __future__ import annotations

from typing import Literal

from palimpsest.record.message import Message, Text, ToolCall, ToolResult

WORDS = (
    "the parser of module alpha reads src/app/reader.py and fails at line 4711 because build 9f3c21ab has no index; "
    "we decided to keep the cache in var/cache/index.bin, and `make check` printed 3 errors in 0.25 s. "
)
HAN = "请检查日志文件并修复第四行的错误，然后重新运行测试。我们决定保留缓存，不要删除旧的数据库。"


def bulk(size_chars: int, salt: int = 0, *, han: bool = False) -> str:
    """Text of about this size that is not the same for two salts."""
    base = HAN if han else WORDS
    return (f"[{salt}] " + base * (size_chars // len(base) + 1))[: max(1, size_chars)]


def said(role: Literal["user", "assistant"], text: str) -> Message:
    """A message of words alone."""
    return Message(role, (Text(text),))


def tool_group(
    names: list[str], sizes: list[int], order: list[int], answered: int, words: str = ""
) -> list[Message]:
    """An assistant message with a call for each name, and the first `answered` results in this order."""
    made = [ToolCall(name, "read_file", f'{{"path": "src/{name}.py"}}') for name in names]
    opening = (Text(words),) if words else ()
    results = [
        Message("tool", (ToolResult(names[place], (Text(bulk(sizes[place], place)),)),))
        for place in order[:answered]
    ]
    return [Message("assistant", (*opening, *made)), *results]
