-- name: stretches_done
SELECT json_group_array(number) FROM stretch WHERE number >= 0 AND worker IS NULL;

-- name: stretches_in_hand
SELECT json_group_array(number) FROM stretch WHERE number >= 0 AND (worker IS NULL OR taken_s BETWEEN ?1 - ?2 AND ?1 + ?2);

-- name: take_stretch
INSERT INTO stretch (number, worker, taken_s) VALUES (?, ?, ?);

-- name: is_at_stretch
SELECT EXISTS (SELECT 1 FROM stretch WHERE number = ? AND worker = ?);

-- name: end_stretch
UPDATE stretch SET worker = NULL WHERE number = ?;

-- name: drop_stretches
DELETE FROM stretch WHERE number BETWEEN ? AND ?;

-- name: put_frequent
INSERT INTO frequent (stretch, word, bits) VALUES (?, ?, ?);

-- name: bits_of_words
SELECT word, stretch, bits FROM json_each(?) AS wanted CROSS JOIN frequent ON frequent.word = wanted.value;

-- name: any_frequent
SELECT EXISTS (SELECT 1 FROM json_each(?) AS wanted CROSS JOIN frequent ON frequent.word = wanted.value);

-- name: frequent_words
SELECT word, bits FROM frequent WHERE stretch = ?;

-- name: is_waiting_up_to
SELECT EXISTS (SELECT 1 FROM unindexed WHERE message_id BETWEEN 1 AND ?);

-- name: sampled_messages
SELECT message.* FROM json_each(?) AS wanted CROSS JOIN message ON message.id = wanted.value
WHERE length(message.body) <= ?;

-- name: put_behind
INSERT INTO behind (stretch, word, lists) VALUES (?, ?, ?);

-- name: lists_behind
SELECT stretch, lists FROM behind WHERE word = ?;

-- name: words_behind
SELECT word, lists FROM behind WHERE stretch = ?;
