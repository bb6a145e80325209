"""What is done for a call belongs to the client's trace."""

from __future__ import annotations

import asyncio

import pytest

from palimpsest.proxy.tracing import traced

TRACE = "0af7651916cd43dd8448eb211c80319c"


def current() -> str:
    from opentelemetry import trace

    return f"{trace.get_current_span().get_span_context().trace_id:032x}"


async def test_spans_belong_to_the_trace_that_a_request_names() -> None:
    pytest.importorskip("opentelemetry")

    async def later() -> str:
        return current()

    with traced({"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}):
        assert current() == TRACE
        task = asyncio.ensure_future(later())
    assert await task == TRACE
    for headers in ({}, {"traceparent": "garbage"}):
        with traced(headers):
            assert int(current(), 16) == 0
