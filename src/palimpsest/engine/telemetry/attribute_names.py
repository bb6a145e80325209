"""The names that telemetry goes by: the few of OpenTelemetry's conventions for generative AI, and our own."""

from __future__ import annotations

CONVERSATION = "gen_ai.conversation.id"
OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE = "gen_ai.usage.cache_creation.input_tokens"
TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105  (a token of text)
TOKEN_USAGE = "gen_ai.client.token.usage"  # noqa: S105
DURATION = "gen_ai.client.operation.duration"
ERROR = "error.type"

TOKEN_BOUNDS = tuple(float(4**power) for power in range(14))
DURATION_BOUNDS = tuple(0.01 * 2**power for power in range(14))
"""Where the conventions put the bounds of the two histograms."""

MESSAGES = "palimpsest.messages"
TOKENS = "palimpsest.tokens"
FORKED = "palimpsest.forked"
REPEATED = "palimpsest.repeated"
CAPACITY = "palimpsest.capacity_tokens"
CACHE = "palimpsest.cache"
POLICY = "palimpsest.policy"
REASON = "palimpsest.reason"
STEPS = "palimpsest.steps"
ACTS = "palimpsest.acts"
COMMITTED = "palimpsest.compaction.committed"
COMPACTION = "palimpsest.compaction.id"
KIND = "palimpsest.compaction.kind"
REPLACED = "palimpsest.compaction.replaced"
BEFORE = "palimpsest.compaction.before_tokens"
AFTER = "palimpsest.compaction.after_tokens"
METHOD = "palimpsest.summary.method"
CALLS = "palimpsest.summary.calls"
PURPOSE = "palimpsest.purpose"
COST = "palimpsest.cost"
REPORTED = "palimpsest.reported"
DOING = "palimpsest.doing"

_PROVIDERS = {"gemini": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai", "azure": "azure.ai.openai"}


def provider(name: str) -> str:
    """A provider's name as the conventions have it; "_OTHER" for a callable that names none."""
    return _PROVIDERS.get(name, name) or "_OTHER"
