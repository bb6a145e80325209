-- Which messages hold one frequent word right behind another: of each of the most frequent words of a stretch, for all of
-- them, the messages that hold it right behind this one. What was gathered without is gathered anew.
CREATE TABLE behind (
    stretch INTEGER NOT NULL REFERENCES stretch (number) ON DELETE CASCADE,
    word    TEXT NOT NULL,
    lists   BLOB NOT NULL,
    PRIMARY KEY (word, stretch),
    UNIQUE (stretch, word)
) STRICT;

DELETE FROM frequent;
DELETE FROM stretch;
