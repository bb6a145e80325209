-- Which messages hold a word that many hold: for each stretch of row numbers a bit for each of its messages. Of a stretch
-- that is done all words are here that so many hold; of one that is not, `worker` says who is at it, and since when.
CREATE TABLE stretch (
    number  INTEGER PRIMARY KEY,
    worker  BLOB,
    taken_s REAL NOT NULL
) STRICT;

CREATE TABLE frequent (
    stretch INTEGER NOT NULL REFERENCES stretch (number) ON DELETE CASCADE,
    word    TEXT NOT NULL,
    bits    BLOB NOT NULL,
    PRIMARY KEY (word, stretch),
    UNIQUE (stretch, word)
) STRICT;
