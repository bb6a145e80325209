"""What each provider refuses in a request, as a list of sentences; an empty list means that it would be accepted.

The rules are written from the providers' documentation, separately from the renderers, so that they can check them.
An unknown content block passes: providers add types faster than they are listed.
"""

from palimpsest.formats.rules.anthropic import anthropic_breaches
from palimpsest.formats.rules.bedrock import bedrock_breaches
from palimpsest.formats.rules.chat_templates import chat_template_breaches
from palimpsest.formats.rules.gemini import gemini_breaches
from palimpsest.formats.rules.openai import openai_breaches, responses_breaches

__all__ = [
    "anthropic_breaches",
    "bedrock_breaches",
    "chat_template_breaches",
    "gemini_breaches",
    "openai_breaches",
    "responses_breaches",
]
