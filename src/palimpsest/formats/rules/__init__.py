"""What each provider refuses in a request, as a list of sentences; an empty list means it would be accepted.

Written from the providers' side and apart from the code that renders, so that one can judge the other. A content block
whose type is not known here passes: providers add types faster than they are listed.
"""

from palimpsest.formats.rules.anthropic import anthropic_breaches
from palimpsest.formats.rules.gemini import gemini_breaches
from palimpsest.formats.rules.openai import openai_breaches

__all__ = ["anthropic_breaches", "gemini_breaches", "openai_breaches"]
