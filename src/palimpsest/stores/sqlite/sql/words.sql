-- name: add_word
INSERT INTO word (word, stem) VALUES (?, ?) ON CONFLICT (word) DO NOTHING;

-- name: index_word
INSERT INTO word_index (rowid, word) VALUES (?, ?);

-- name: words_with_parts
SELECT word.word FROM word_index CROSS JOIN word ON word.id = word_index.rowid WHERE word_index MATCH ?;

-- name: words_between
SELECT word FROM word WHERE word >= ? AND word < ? LIMIT ?;

-- name: words_of_stem
SELECT word FROM word WHERE stem = ?1 UNION ALL SELECT word FROM word WHERE word = ?1 AND stem IS NULL;

-- name: known_stems
SELECT value FROM json_each(?)
WHERE EXISTS (SELECT 1 FROM word WHERE stem = value) OR EXISTS (SELECT 1 FROM word WHERE word = value AND stem IS NULL);

-- name: merge_words
INSERT INTO word_index (word_index, rank) VALUES ('merge', ?);
