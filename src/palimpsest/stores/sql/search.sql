-- name: match_messages
SELECT message_index.rowid AS id, bm25(message_index, 0.0, 1.0) AS rank FROM message_index
WHERE message_index MATCH ? ORDER BY rank, message_index.rowid DESC LIMIT ?;

-- name: count_matching_messages
SELECT count(*) FROM message_index WHERE message_index MATCH ?;

-- name: match_summaries
SELECT summary_index.rowid AS id, bm25(summary_index, 0.0, 1.0) AS rank FROM summary_index
WHERE summary_index MATCH ? ORDER BY rank, summary_index.rowid DESC LIMIT ?;

-- name: count_matching_summaries
SELECT count(*) FROM summary_index WHERE summary_index MATCH ?;

-- name: scan_messages
SELECT message.id
FROM (
    SELECT message.id FROM message JOIN branch ON branch.id = message.branch_id
    WHERE branch.conversation_id = ?1 ORDER BY message.id DESC LIMIT ?2
) AS newest
JOIN message ON message.id = newest.id
WHERE instr(lower(message.body), ?3)
ORDER BY message.id DESC;

-- name: merge_messages
INSERT INTO message_index (message_index, rank) VALUES ('merge', ?);

-- name: holding_messages
SELECT message_index.rowid FROM message_index WHERE message_index MATCH ? ORDER BY message_index.rowid DESC LIMIT ?;

-- name: holding_summaries
SELECT summary_index.rowid FROM summary_index WHERE summary_index MATCH ? ORDER BY summary_index.rowid DESC LIMIT ?;

-- name: message_place
SELECT branch_id, seq FROM message WHERE id = ?;

-- name: near_messages
SELECT message.*, conversation.name AS conversation
FROM message
JOIN conversation ON conversation.id = message.conversation_id
JOIN owner ON owner.id = message.owner_id
WHERE message.branch_id = ? AND message.seq BETWEEN ? AND ? AND owner.name = ?;

-- name: count_conversation_messages
SELECT coalesce(sum(head_seq - fork_seq), 0) FROM branch WHERE conversation_id = ?;

-- name: count_owner_messages
SELECT coalesce(sum(branch.head_seq - branch.fork_seq), 0)
FROM conversation JOIN branch ON branch.conversation_id = conversation.id WHERE conversation.owner_id = ?;
