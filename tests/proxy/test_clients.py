"""The official clients through the proxy, on all four wires: their provider refuses nothing, windows are compacted, and
what was said early is in the window or found again.
"""

from __future__ import annotations

import json

import pytest

from tests.effort import size
from tests.proxy.kit import CLIENTS, WIRES, running
from tests.wire.strict.scripts import reading
from tests.wire.strict.server import StrictServer

CALLS, LINES = size((40, 20), (200, 20))
FACT = "Kestrel-88"


@pytest.mark.sampled
@pytest.mark.parametrize("stream", [False, True], ids=["at once", "streamed"])
@pytest.mark.parametrize("wire", WIRES)
async def test_a_long_loop_of_an_official_client_is_compacted_and_nothing_is_refused(
    wire: str, stream: bool
) -> None:
    with StrictServer(reading(CALLS), window_tokens=12_000) as upstream:
        async with running(upstream) as served:
            client = CLIENTS[wire](served.url, stream, lines=LINES)
            answer = await client.run(CALLS)
            await served.engine.idle()
            counts, names = served.proxy.counts, await served.names()
            compactions = await served.compactions()
            talk = served.engine.conversation(names[0])
            hits = await talk.grep(FACT)
            stored = await served.texts(names[0])
        assert answer == f"All {CALLS} parts are read."
        assert upstream.errors == []
        assert (counts.faults, counts.recovered) == (0, 0)
        assert names == ["proxy-one"]
        assert compactions >= 3
        assert counts.rewritten > CALLS // 4
        assert FACT in json.dumps(upstream.main()[-1].body) or hits.hits
        assert (
            len([one for one in stored if "of the harbour log." in one and one.startswith("tool")]) == CALLS
        )
