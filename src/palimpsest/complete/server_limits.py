"""What a self-hosted server tells of itself: how large the context of a model is, and how many requests it works on
at once.

- Self-hosted is a server of a provider that one runs oneself, or one whose address no other network can reach:
  loopback, private and link-local addresses, names without a dot and those that end like a local network's.
- llama.cpp tells both at `/props`. vLLM and others tell the context in the list of models, LM Studio in a list of its
  own, Ollama in the list of what is loaded. The first place that tells it is believed.
- A server that tells nothing works on one request at a time, as far as is known here.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from palimpsest.budget.model_limits import OWN_SERVERS
from palimpsest.formats import wire_fields

PLACES = ("/props", "/v1/models", "/api/v0/models", "/api/ps")
"""Where to ask, in this order, below the address without its "/v1"."""
_SIZES = ("loaded_context_length", "context_length", "max_model_len", "n_ctx", "n_ctx_train")
_LOCAL_NAMES = (".local", ".lan", ".internal", ".home.arpa", ".localhost")


@dataclass(frozen=True, slots=True)
class Server:
    """What a server tells. `context_tokens` is 0 where it does not tell."""

    context_tokens: int = 0
    slots: int = 1


def is_self_hosted(provider: str, address: str) -> bool:
    """Whether a provider's server at an address is one that the user runs."""
    host = (urlsplit(address).hostname or "").lower()
    if provider in OWN_SERVERS or not host:
        return provider in OWN_SERVERS
    try:
        return not ipaddress.ip_address(host.partition("%")[0]).is_global
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_NAMES)


def read_server(body: Mapping[str, object], model: str) -> Server | None:
    """What one place tells of a model, None where it says nothing of its context."""
    tokens = _size(wire_fields.nested(body, "default_generation_settings")) or _size(_row(body, model))
    slots = body.get("total_slots")
    return Server(tokens, slots if isinstance(slots, int) and slots > 0 else 1) if tokens else None


def _row(body: Mapping[str, object], model: str) -> Mapping[str, object]:
    """What a list of models says of this one; of the only one, whatever its name is."""
    for key in ("data", "models"):
        listed = body.get(key)
        rows = wire_fields.objects(cast("list[object]", listed)) if isinstance(listed, list) else []
        for row in rows:
            names = {str(row.get(name, "")).removesuffix(":latest") for name in ("id", "model", "name")}
            if len(rows) == 1 or model.removesuffix(":latest") in names:
                return {**wire_fields.nested(row, "meta"), **row}
    return {}


def _size(fields: Mapping[str, object]) -> int:
    sizes = (fields.get(name) for name in _SIZES)
    return next((size for size in sizes if isinstance(size, int) and size > 0), 0)
