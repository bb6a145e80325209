-- name: every_conversation
SELECT conversation.*, owner.name AS owner FROM conversation JOIN owner ON owner.id = conversation.owner_id
WHERE conversation.id > ? ORDER BY conversation.id LIMIT 1;

-- name: branches_of
SELECT branch.*, conversation.name AS conversation
FROM branch JOIN conversation ON conversation.id = branch.conversation_id
WHERE branch.conversation_id = ? ORDER BY branch.id;

-- name: asking_before
SELECT * FROM message WHERE branch_id = ? AND seq <= ? AND role = 'assistant' ORDER BY seq DESC LIMIT 1;

-- name: place_of_number
SELECT branch_id, seq FROM message WHERE id = ?;

-- name: summaries_of
SELECT * FROM summary WHERE conversation_id = ? ORDER BY id;

-- name: reckoned_beneath
SELECT coalesce(sum(coalesce(message.tokens, child.message_tokens)), 0)
FROM summary_source
LEFT JOIN message
    ON summary_source.source GLOB 'm*' AND message.id = CAST(substr(summary_source.source, 2) AS INTEGER)
LEFT JOIN summary AS child
    ON summary_source.source GLOB 's*' AND child.id = CAST(substr(summary_source.source, 2) AS INTEGER)
WHERE summary_source.summary_id = ?;

-- name: append_keys_of
SELECT * FROM append_key WHERE conversation_id = ? ORDER BY key;

-- name: spent_of
SELECT * FROM spent WHERE conversation_id = ? ORDER BY id;

-- name: vectors_of
SELECT vector.message_id, vector.owner_id, vector.body, vector.conversation_id, message.owner_id AS of_owner,
       message.conversation_id AS of_conversation
FROM vector LEFT JOIN message ON message.id = vector.message_id
WHERE vector.message_id > ? ORDER BY vector.message_id LIMIT 1000;

-- name: calibrations_of
SELECT * FROM calibration WHERE owner_id = ?;

-- name: messages_after
SELECT * FROM message WHERE id > ? ORDER BY id LIMIT 500;

-- name: summaries_after
SELECT summary.*, conversation.owner_id AS owner_id
FROM summary JOIN conversation ON conversation.id = summary.conversation_id
WHERE summary.id > ? ORDER BY summary.id LIMIT 500;

-- name: words_after
SELECT id, word, stem FROM word WHERE id > ? ORDER BY id LIMIT 1000;

-- name: stem_of
SELECT coalesce(stem, word) FROM word WHERE word = ?;

-- name: highest_message
SELECT coalesce(max(id), 0) FROM message;

-- name: branch_row
SELECT branch.*, '' AS conversation FROM branch WHERE id = ?;

-- name: items_of
SELECT * FROM item WHERE branch_id = ? ORDER BY first_seq, id;
