"""Limits on everything that comes from outside, in one place.

A limit is far above honest use, and low enough that more would hurt others: memory, a connection of the store, money.
Anything over it is refused before work begins, with the limit in the message, and nothing of it is stored. Reading
back ends with a cursor instead.
"""

from __future__ import annotations

MAX_MESSAGE_CHARS = 50_000_000
"""Characters of one message: its texts, keys and extra fields. Media count as written."""

MAX_PARTS = 10_000
"""Parts of one message: texts, calls, results, images."""

MAX_VALUES = 1_000_000
"""JSON values in one message, at any depth."""

MAX_NESTING = 100
"""Levels of lists and objects in one message."""

MAX_TRANSCRIPT_BYTES = 1_000_000_000
"""Bytes of an imported transcript with its related files. It is read as a whole."""

MAX_SKIPPED = 10_000
"""Unreadable parts of one transcript that are listed with their reason; more are counted."""

MAX_NAME_CHARS = 500
"""Characters of an owner's or conversation's name, or of an append key."""

MAX_PATTERN_CHARS = 2_000
"""Characters of a search pattern."""

MAX_PATTERN_WORDS = 40
"""Words, phrases and parts of words in one pattern."""

MAX_PATTERN_UNITS = 120
"""Words of one pattern as the index has them: a phrase, a path, or a run without spaces is as many as it has there."""

MAX_PATTERN_NESTING = 10

MAX_QUESTION_CHARS = 4_000
"""Characters of a question that are read; of a longer one its beginning and its end."""

MAX_LIMIT = 1_000
"""Hits or passages of one answer."""

QUERY_TIMEOUT_S = 20.0
"""The time limit of one search. The slowest in a store of a million messages is a hundred times faster."""

MAX_IDS = 1_000
"""Ids in one call."""

MAX_ENTRIES = 10_000
MAX_EXPANSION_CHARS = 20_000_000
"""Entries and characters of one answer that reads back; a cursor continues it."""

MAX_SUMMARY_CALLS = 1_000
"""Summarizer calls for one window during one compaction or one request. What is left is summarized without a model.
"""

MAX_LEFT_BEHIND = 100_000
"""Messages of other branches that are read at once, oldest first."""

READ_MESSAGES = 100
"""Messages that are read from the store at once."""

PASSAGE_TOKENS = 2_000
"""The default token budget of a search's passages."""
