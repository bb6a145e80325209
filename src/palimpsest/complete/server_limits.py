"""The limits that a self-hosted server reports: the context size of a model, and the number of parallel requests.

- A server is self-hosted if its provider is one that users run themselves, or if its address is not reachable from
  other networks: loopback, private and link-local addresses, names without a dot, and names of local networks.
- llama.cpp reports both limits at `/props`. vLLM and others report the context size in the list of models, LM Studio in
  its own list, Ollama in the list of loaded models. The first answer with a context size is used.
- A server that reports nothing is assumed to process one request at a time.
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
"""The paths to ask, in this order, below the address without its "/v1"."""
_SIZES = ("loaded_context_length", "context_length", "max_model_len", "n_ctx", "n_ctx_train")
_LOCAL_NAMES = (".local", ".lan", ".internal", ".home.arpa", ".localhost")


@dataclass(frozen=True, slots=True)
class Server:
    """The limits of a server. `context_tokens` is 0 if it does not report them."""

    context_tokens: int = 0
    slots: int = 1


def is_self_hosted(provider: str, address: str) -> bool:
    """Whether a provider's server at an address is self-hosted."""
    host = (urlsplit(address).hostname or "").lower()
    if provider in OWN_SERVERS or not host:
        return provider in OWN_SERVERS
    try:
        return not ipaddress.ip_address(host.partition("%")[0]).is_global
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_NAMES)


def read_server(body: Mapping[str, object], model: str) -> Server | None:
    """The limits in one response, None if it has no context size of the model."""
    tokens = _size(wire_fields.nested(body, "default_generation_settings")) or _size(_row(body, model))
    slots = body.get("total_slots")
    return Server(tokens, slots if isinstance(slots, int) and slots > 0 else 1) if tokens else None


def _row(body: Mapping[str, object], model: str) -> Mapping[str, object]:
    """The entry of this model in a list of models; a single entry is used regardless of its name."""
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
