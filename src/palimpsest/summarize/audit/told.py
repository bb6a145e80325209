"""What claims are told by, for every rule that looks for them."""

from __future__ import annotations

import re

from palimpsest.patterns import later

LOOK_CHARS = 20_000
"""Characters of one message in which somebody may tell how something went."""

RUN = later(r"`([^`\n]{2,300})`")
"""A command, or what stands where one would."""

FAILED = later(
    r"\b(?:fail\w*|\w{0,40}errors?|exit(?: code)? -?[1-9]\d*|not|never|cannot|can't|broke\w*|crash\w*|timed out|"
    r"fehl\w*)\b|❌|失败|错误|未",
    re.IGNORECASE,
)
NONE_FAILED = later(r"\b(?:0|no) (?:failures?|failed|failing|errors?)\b", re.IGNORECASE)

WISHED = later(
    r"\b(?:not|no|never|fail\w*|don't|doesn't|until|once|if|when|before|after|must|should|shall|will|would|to|make|ensure|"
    r"need\w*|want\w*|verify|check|confirm|whether|some|\d+ of|bis|wenn|falls|sollen|"
    r"müssen|nicht)\b|\b(?P<part>\d{1,6})\s?/\s?(?!(?P=part)\b)\d{1,6}\b|未|没|直到|确保|必须|如果|需要|ない",
    re.IGNORECASE,
)
"""Wishes and plans, and what was not all of it."""

OF_USER = later(
    r"\b(?:user|human|person\b|client|customer|nutzer|benutzer|anwender|utilisat|usuari|utente|gebruiker)|用户|用戶|使用者|"
    r"ユーザ|사용자|пользовател",
    re.IGNORECASE,
)
"""How a summary names the user."""
