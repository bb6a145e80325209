"""The server's status: the owner, counts of the data, and the progress of following."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from palimpsest._version import __version__
from palimpsest.engine.engine import Engine
from palimpsest.engine.reports import ConversationInfo, Stats
from palimpsest.mcp.transcript_follower import Follower, Following
from palimpsest.record.recall_mark import RECALLED, RECALLED_FIELD

SHOWN_CONVERSATIONS = 10
_TITLE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of the owner's data, the newest conversations, and the followed folders."""

    owner: str
    stats: Stats
    newest: tuple[ConversationInfo, ...]
    following: Following | None

    def fields(self) -> dict[str, object]:
        """The status as JSON fields."""
        return {
            RECALLED_FIELD: "status",
            "version": __version__,
            "owner": self.owner,
            "conversations": self.stats.conversations,
            "messages": self.stats.messages,
            "tokens": self.stats.tokens,
            "summaries": sum(self.stats.summaries_by_depth.values()),
            "to_index": self.stats.to_index,
            "newest": [
                {
                    "id": one.id,
                    "title": _short(one.title),
                    "messages": one.messages,
                    "updated_at": one.updated_at,
                }
                for one in self.newest
            ],
            "following": asdict(self.following) if self.following is not None else None,
        }

    def text(self) -> str:
        """The status as text."""
        stats, summaries = self.stats, sum(self.stats.summaries_by_depth.values())
        lines = [
            f"{RECALLED} status] palimpsest {__version__}, owner {self.owner}",
            ", ".join(
                (
                    _count(stats.conversations, "conversation"),
                    _count(stats.messages, "message"),
                    _count(summaries, "summary", "summaries"),
                )
            ),
            *_following_lines(self.following),
            *(
                [f"search index being rebuilt: up to {stats.to_index:,} texts to go"]
                if stats.to_index
                else []
            ),
        ]
        if self.newest:
            lines.append("newest conversations:")
        lines += [
            f"  {one.id}  {one.updated_at[:16]}  {one.messages:,} messages  {_short(one.title)}"
            for one in self.newest
        ]
        return "\n".join(line.rstrip() for line in lines)


async def read_status(engine: Engine, follower: Follower | None) -> Status:
    """The current status."""
    return Status(
        owner=engine.owner,
        stats=await engine.stats(),
        newest=tuple((await engine.conversations())[:SHOWN_CONVERSATIONS]),
        following=follower.now() if follower is not None else None,
    )


def _following_lines(following: Following | None) -> list[str]:
    if following is None:
        return ["following nothing: the store has what was imported or appended"]
    state = f"{following.pending:,} still to read" if following.pending else "up to date"
    lines = [f"following {', '.join(following.folders)}: {_count(following.files, 'file')}, {state}"]
    if following.problem:
        lines.append(f"  problem: {following.problem}")
    if following.left_out_files:
        lines.append(f"  {_count(following.left_out_files, 'file')} left out")
        lines += [f"    {one.files:,} x {one.reason} ({one.example})" for one in following.left_out]
    return lines


def _short(title: str) -> str:
    return title if len(title) <= _TITLE_CHARS else title[: _TITLE_CHARS - 1] + "…"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
