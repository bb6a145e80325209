-- name: add_owner
INSERT INTO owner (name) VALUES (?) ON CONFLICT (name) DO NOTHING;

-- name: owner_id
SELECT id FROM owner WHERE name = ?;

-- name: conversation_id
SELECT conversation.id FROM conversation JOIN owner ON owner.id = conversation.owner_id
WHERE owner.name = ? AND conversation.name = ?;

-- name: add_conversation
INSERT INTO conversation (owner_id, name, updated_s) VALUES (?, ?, ?);

-- name: describe_conversation
UPDATE conversation
SET title = coalesce(?, title), parent = coalesce(?, parent), system = coalesce(?, system),
    updated_s = max(updated_s, ?)
WHERE id = ?;

-- name: conversation_system
SELECT name, title, parent, system, crc FROM conversation WHERE id = ?;

-- name: note_change
UPDATE branch SET version = version + 1 WHERE id = (SELECT branch_id FROM conversation WHERE id = ?);

-- name: touch_conversation
UPDATE conversation SET updated_s = max(updated_s, ?), branch_id = ?, title = iif(title = '', ?, title) WHERE id = ?;

-- name: conversations
SELECT conversation.*
FROM conversation
JOIN owner ON owner.id = conversation.owner_id
WHERE owner.name = ?
ORDER BY conversation.updated_s DESC, conversation.id DESC;

-- name: current_branch
SELECT branch.*, conversation.name AS conversation FROM conversation JOIN branch ON branch.id = conversation.branch_id
WHERE conversation.id = ?;

-- name: current_branches
SELECT branch.*, conversation.name AS conversation
FROM owner
JOIN conversation ON conversation.owner_id = owner.id
JOIN branch ON branch.id = conversation.branch_id
WHERE owner.name = ?;

-- name: branch_now
SELECT branch.*, conversation.name AS conversation
FROM owner
JOIN conversation ON conversation.owner_id = owner.id
JOIN branch ON branch.id = conversation.branch_id
WHERE owner.name = ? AND conversation.name = ?;

-- name: branch_seen
SELECT branch.id, branch.version, branch.head_seq, branch.purged FROM conversation JOIN branch ON branch.id = conversation.branch_id
WHERE conversation.id = ?;

-- name: branch
SELECT branch.*, conversation.name AS conversation
FROM branch JOIN conversation ON conversation.id = branch.conversation_id
WHERE branch.id = ? AND conversation.id = ?;

-- name: branch_parent
SELECT parent_id, fork_seq FROM branch WHERE id = ?;

-- name: branch_by_head
SELECT branch.*, conversation.name AS conversation
FROM branch JOIN conversation ON conversation.id = branch.conversation_id
WHERE branch.conversation_id = ? AND branch.head_chain = ?
ORDER BY branch.id DESC LIMIT 1;

-- name: add_branch
INSERT INTO branch (conversation_id, parent_id, fork_seq, head_seq, head_chain, calls, closed_seq, version, thinking_from,
                    tokens, forked_after)
VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, (SELECT coalesce(max(id), 0) FROM compaction));

-- name: advance_branch
UPDATE branch SET head_seq = ?, head_chain = ?, calls = ?, closed_seq = ?, tokens = ?, version = version + 1
WHERE id = ?;

-- name: has_growing
SELECT 1 FROM branch WHERE conversation_id = ? AND closed_seq < head_seq LIMIT 1;

-- name: data_version (changes when another connection writes)
PRAGMA data_version;

-- name: growing_branches
SELECT branch.*, conversation.name AS conversation
FROM branch JOIN conversation ON conversation.id = branch.conversation_id
WHERE branch.conversation_id = ?1 AND branch.closed_seq <= ?2 AND branch.head_seq > ?2
  AND NOT EXISTS (SELECT 1 FROM branch AS child
                  WHERE child.conversation_id = ?1 AND child.parent_id = branch.id AND child.fork_seq > ?2)
ORDER BY branch.id = conversation.branch_id DESC, branch.id DESC LIMIT 1000;

-- name: add_message
INSERT INTO message (id, owner_id, conversation_id, branch_id, seq, role, body, tokens, time_s, chain, gate,
                     gate_tokens)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: rewrite_message
UPDATE message SET body = ?, tokens = ?, gate_tokens = ? WHERE id = ?;

-- name: remove_messages
DELETE FROM message WHERE branch_id = ? AND seq > ?;

-- name: messages_between
SELECT * FROM message WHERE branch_id = ? AND seq BETWEEN ? AND ? ORDER BY seq;

-- name: message_tokens_between
SELECT coalesce(sum(tokens), 0), coalesce(sum(CASE gate WHEN '' THEN tokens ELSE gate_tokens END), 0)
FROM message WHERE branch_id = ? AND seq BETWEEN ? AND ?;

-- name: message_tokens_of_stretches
-- Of stretches [branch, first, last] of messages, what each costs in a window.
SELECT stretch.key, sum(CASE gate WHEN '' THEN tokens ELSE gate_tokens END)
FROM json_each(?) AS stretch
JOIN message ON message.branch_id = stretch.value ->> 0 AND seq BETWEEN stretch.value ->> 1 AND stretch.value ->> 2
GROUP BY stretch.key;

-- name: message_seq_by_chain
SELECT branch_id, seq FROM message
WHERE chain = ?1 AND conversation_id = ?2 AND owner_id = (SELECT owner_id FROM conversation WHERE id = ?2)
ORDER BY branch_id DESC LIMIT 1;

-- name: owner_message_by_chain
SELECT conversation.name, message.branch_id, message.seq
FROM message
JOIN conversation ON conversation.id = message.conversation_id
WHERE message.chain = ? AND message.owner_id = (SELECT id FROM owner WHERE name = ?)
ORDER BY message.branch_id = conversation.branch_id DESC, message.branch_id DESC LIMIT 1;

-- name: owner_messages
SELECT message.*, conversation.name AS conversation, branch.closed_seq
FROM message
JOIN branch ON branch.id = message.branch_id
JOIN conversation ON conversation.id = branch.conversation_id
JOIN owner ON owner.id = conversation.owner_id
WHERE message.id = ? AND owner.name = ?;

-- name: owner_summaries
SELECT summary.*, conversation.name AS conversation
FROM summary
JOIN conversation ON conversation.id = summary.conversation_id
JOIN owner ON owner.id = conversation.owner_id
WHERE summary.id = ? AND owner.name = ?;

-- name: append_key
SELECT key, message_ids, crc FROM append_key WHERE conversation_id = ? AND key = ?;

-- name: add_append_key
INSERT INTO append_key (conversation_id, key, message_ids) VALUES (?, ?, ?);

-- name: index_message
INSERT INTO message_index (rowid, scope, body) VALUES (?, ?, ?);

-- name: is_indexed
SELECT 1 FROM message_index_docsize WHERE id = ?;

-- name: unindex_message
INSERT INTO message_index (message_index, rowid, scope, body) VALUES ('delete', ?, ?, ?);

-- name: put_off_message
INSERT INTO unindexed (message_id) SELECT ?1 WHERE ?1 > (SELECT messages_left FROM indexing WHERE id = 1);

-- name: waiting_messages
SELECT unindexed.message_id, message.* FROM unindexed LEFT JOIN message ON message.id = unindexed.message_id
WHERE unindexed.message_id > 0 ORDER BY unindexed.message_id LIMIT ?;

-- name: count_waiting
SELECT count(*) FROM unindexed WHERE message_id > 0;

-- name: drop_waiting
DELETE FROM unindexed WHERE message_id BETWEEN ? AND ?;
