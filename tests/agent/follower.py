"""A process that says something and follows it into its session file, again and again, until it is killed or done.

Usage: python -m tests.agent.follower WORKSPACE NAME COUNT
"""

from __future__ import annotations

import asyncio
import sys

from palimpsest.agent.session_log import SessionLog, open_workspace


async def go_on(workspace: str, name: str, count: int) -> None:
    """Say and follow `count` times."""
    log = SessionLog(workspace)
    async with open_workspace(workspace) as engine:
        talk = engine.conversation("t")
        for place in range(count):
            await talk.append({"role": "user", "content": f"{name} {place} " + "é" * 3000})
            await log.follow(talk)
            print(place, flush=True)


if __name__ == "__main__":
    asyncio.run(go_on(sys.argv[1], sys.argv[2], int(sys.argv[3])))
