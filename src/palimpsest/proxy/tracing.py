"""The client's trace: what the engine does for a call belongs to it. The header itself is passed on like all others."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager


@contextmanager
def traced(headers: Mapping[str, str]) -> Generator[None]:
    """Make spans children of the one that `traceparent` names, if OpenTelemetry is installed."""
    if "traceparent" not in headers:
        yield
        return
    try:
        from opentelemetry import context, propagate
    except ImportError:
        yield
        return
    token = context.attach(propagate.extract(headers))
    try:
        yield
    finally:
        context.detach(token)
