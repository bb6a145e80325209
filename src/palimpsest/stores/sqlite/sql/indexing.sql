-- name: indexing
SELECT rules, messages_left, summaries_done FROM indexing WHERE id = 1;

-- name: begin_indexing
UPDATE indexing SET rules = ?, messages_left = (SELECT coalesce(max(id), 0) FROM message), summaries_done = 0
WHERE id = 1;

-- name: unindex_all_messages
INSERT INTO message_index (message_index) VALUES ('delete-all');

-- name: unindex_all_summaries
INSERT INTO summary_index (summary_index) VALUES ('delete-all');

-- name: unindex_all_words
INSERT INTO word_index (word_index) VALUES ('delete-all');

-- name: drop_words
DELETE FROM word WHERE id BETWEEN ? AND ?;

-- name: note_emptied (what connections remember of the words does not hold; what other rules left behind of what was
-- forgotten is swept out)
UPDATE erasure SET unswept = max(unswept, times > 0), times = times + 1 WHERE id = 1;

-- name: messages_up_to
SELECT * FROM message WHERE id <= ? ORDER BY id DESC;

-- name: note_messages_left
UPDATE indexing SET messages_left = ? WHERE id = 1;

-- name: note_summaries_done
UPDATE indexing SET summaries_done = ? WHERE id = 1;

-- name: summaries_beyond
SELECT summary.*, conversation.owner_id AS owner_id
FROM summary JOIN conversation ON conversation.id = summary.conversation_id
WHERE summary.id > ? ORDER BY summary.id;

-- name: count_summaries_beyond
SELECT count(*) FROM summary WHERE id > ?;

-- name: is_summary_between
SELECT EXISTS (SELECT 1 FROM summary WHERE id > ? AND id < ?);
