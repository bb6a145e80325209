-- name: drop_vector
DELETE FROM vector WHERE message_id = ?;

-- name: drop_vector_progress
DELETE FROM vector_progress WHERE branch_id = ?;

-- name: put_item
INSERT INTO item (branch_id, id, kind, first_seq, last_seq, note, tokens, standing) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_end
UPDATE branch
SET head_seq = ?, head_chain = ?, calls = ?, tokens = ?, thinking_from = ?, closed_seq = ?, version = version + 1
WHERE id = ?;

-- name: drop_memo
DELETE FROM memo WHERE conversation_id = ?;

-- name: drop_usage
DELETE FROM usage WHERE branch_id = ?;

-- name: drop_account
DELETE FROM account WHERE branch_id = ?;

-- name: drop_spent
DELETE FROM spent WHERE id = ?;

-- name: drop_calibration
DELETE FROM calibration WHERE owner_id = ? AND model = ? AND kind = ?;

-- name: drop_append_key
DELETE FROM append_key WHERE conversation_id = ? AND key = ?;

-- name: every_owner
SELECT id FROM owner WHERE id > ? ORDER BY id LIMIT 1;
