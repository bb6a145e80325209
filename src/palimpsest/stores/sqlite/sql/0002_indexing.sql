-- By which rules the word indexes were made, as a number, and how far they have come: messages up to `messages_left` and
-- summaries after `summaries_done` are not in them yet. What an earlier program indexed counts as made by rules of no
-- number.
CREATE TABLE indexing (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    rules          INTEGER NOT NULL,
    messages_left  INTEGER NOT NULL,
    summaries_done INTEGER NOT NULL
) STRICT;

INSERT INTO indexing (id, rules, messages_left, summaries_done)
VALUES (1, 0, 0, (SELECT coalesce(max(id), 0) FROM summary));
