"""How much of anything is taken in, asked for or waited for at once, where it comes from outside: one place for all.

A limit is far above what honest use needs, and low enough that what lies above it would hurt others: memory, a lane of
the store, money. What is over one is refused before work begins, with the limit in the message, and nothing of it is
stored; only what is read back ends with a cursor instead, because that loses nothing.
"""

from __future__ import annotations

MAX_MESSAGE_CHARS = 50_000_000
"""Characters of one message: its texts, its keys, what is kept beside it. Media inside it count as they are written."""

MAX_PARTS = 10_000
"""Parts of one message: texts, calls, results, images."""

MAX_VALUES = 1_000_000
"""JSON values in one message, wherever they stand."""

MAX_NESTING = 100
"""Levels of lists and objects in one message."""

MAX_TRANSCRIPT_BYTES = 1_000_000_000
"""A transcript that is imported, with the other files that belong to it. It is read as a whole."""

MAX_SKIPPED = 10_000
"""What of one transcript could not be read and is listed with its reason; beyond that it is counted."""

MAX_NAME_CHARS = 500
"""Characters in the name of an owner, of a conversation, in the key of an append."""

MAX_PATTERN_CHARS = 2_000
"""Characters of a pattern that is searched for."""

MAX_PATTERN_WORDS = 40
MAX_PATTERN_NESTING = 10

MAX_QUESTION_CHARS = 4_000
"""Characters of a question that are read; of a longer one its beginning and its end."""

MAX_LIMIT = 1_000
"""Hits or passages of one answer."""

QUERY_TIMEOUT_S = 20.0
"""How long one search may take. The slowest in a store of a million messages is a hundred times faster."""

MAX_IDS = 1_000
"""Ids in one call."""

MAX_ENTRIES = 10_000
MAX_EXPANSION_CHARS = 20_000_000
"""Entries and characters of one answer that reads back; what lies behind them is the cursor's."""

MAX_SUMMARY_CALLS = 1_000
"""Calls of a summarizer for one window, while one compaction or whatever makes one request fit is carried out. What is
left after them is summarized without a model.
"""

MAX_LEFT_BEHIND = 100_000
"""Messages of other branches that are read at once, those of the oldest first."""

READ_MESSAGES = 100
"""How many messages are read from the store at once."""

PASSAGE_TOKENS = 2_000
"""What the passages of a search may cost together, where nobody says it."""
