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
