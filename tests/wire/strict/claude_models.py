"""What Anthropic's models accept, by name: bound thinking, system messages in the middle, compaction, and whose
thinking each of them reads.

A name has the form `claude-LINE-MAJOR-MINOR`; a date or "[1m]" after it does not matter. Any other name stands for an
old model, which takes none of this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

Version = tuple[int, int]

_NAME = re.compile(r"(?:anthropic[./])?claude-(fable|mythos|opus|sonnet|haiku)-(\d)(?:-(\d))?(?!\d)")
_LARGE_TOKENS = 1_000_000
_SMALL_TOKENS = 200_000
_TOP = ("fable", "mythos")


@dataclass(frozen=True, slots=True)
class ClaudeModel:
    """A model. `binds`: its thinking is bound to what came before it. `modern`: it thinks adaptively, takes no sampling
    parameters, and continues no reply that the request began.
    """

    name: str
    line: str = ""
    version: Version = (0, 0)

    @property
    def binds(self) -> bool:
        return self.version >= ((5, 1) if self.line in _TOP else (5, 5))

    @property
    def takes_system_messages(self) -> bool:
        return self.binds or (self.line in _TOP and self.version >= (5, 0)) or self._opus_from((4, 8))

    @property
    def compacts(self) -> bool:
        return (self.line != "haiku" and self.version >= (4, 6)) or self.binds

    @property
    def modern(self) -> bool:
        return self._opus_from((4, 7)) or self.version >= (5, 0)

    @property
    def takes_forced_tools(self) -> bool:
        return not self.binds or self.line in ("opus", "haiku")

    @property
    def window_tokens(self) -> int:
        return _LARGE_TOKENS if self.version >= (4, 6) else _SMALL_TOKENS

    def reads(self, writer: ClaudeModel) -> bool:
        """Whether this model may see another one's thinking."""
        if writer.name == self.name or (writer.line, writer.version) == ("haiku", (5, 5)):
            return True
        if self.line in _TOP and self.binds:
            if writer.line in _TOP:
                return writer.version <= self.version
            return writer.version <= (5, 0) or (writer.line, writer.version) == ("opus", (5, 5))
        if self.line == "opus" and self.binds:
            return writer.line not in _TOP and writer.version <= (5, 0)
        if self.line == "sonnet" and self.binds:
            newest = (5, 0) if writer.line == "sonnet" else (4, 8)
            return writer.line not in _TOP and writer.version <= newest
        return False

    def _opus_from(self, version: Version) -> bool:
        return self.line == "opus" and self.version >= version


@cache
def claude_model(name: str) -> ClaudeModel:
    """The model of this name."""
    found = _NAME.match(name)
    if found is None:
        return ClaudeModel(name)
    line, major, minor = found[1], int(found[2]), int(found[3] or 0)
    plain = f"claude-{line}-{major}" + (f"-{minor}" if found[3] else "")
    return ClaudeModel(plain, line, (major, minor))
