-- name: newest_messages
SELECT rowid FROM message_index WHERE message_index MATCH ? ORDER BY rowid DESC LIMIT ?;

-- name: newest_messages_between
SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM message_index WHERE message_index MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?
) AS newest;

-- name: oldest_messages_between
SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM message_index WHERE message_index MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?
) AS oldest;

-- One row: a step for each of thousands of rows takes three times as long, most of it waiting for the interpreter.
-- name: numbers_of_newest_messages
SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM message_index WHERE message_index MATCH ? ORDER BY rowid DESC LIMIT ?
) AS newest;

-- name: newest_ranked_messages
SELECT rowid, bm25(message_index, 1.0, 0.0) FROM message_index WHERE message_index MATCH ? ORDER BY rowid DESC LIMIT ?;

-- name: count_matching_messages
SELECT count(*) FROM message_index WHERE message_index MATCH ?;

-- name: count_matching_messages_to
SELECT count(*) FROM message_index WHERE message_index MATCH ? AND rowid <= ?;

-- name: count_matching_messages_from
SELECT count(*) FROM message_index WHERE message_index MATCH ? AND rowid >= ?;

-- name: count_matching_messages_between
SELECT count(*) FROM message_index WHERE message_index MATCH ? AND rowid BETWEEN ? AND ?;

-- name: rank_messages
SELECT rowid, bm25(message_index, 1.0, 0.0) FROM message_index
WHERE message_index MATCH ? AND rowid BETWEEN ? AND ? AND +rowid IN (SELECT value FROM json_each(?));

-- name: message_bodies
SELECT message.id, message.role, hex(size.sz) AS size, message.body
FROM json_each(?) AS wanted CROSS JOIN message ON message.id = wanted.value
CROSS JOIN message_index_docsize AS size ON size.id = wanted.value;

-- Texts that are JSON, as the inside of one array: what is put around it here would be copied with it.
-- name: message_bodies_together
SELECT group_concat(message.id), group_concat(message.role), group_concat(hex(size.sz)),
       group_concat(iif(length(CAST(message.body AS BLOB)) > ?2, '', message.body))
FROM json_each(?1) AS wanted CROSS JOIN message ON message.id = wanted.value
CROSS JOIN message_index_docsize AS size ON size.id = wanted.value;

-- How many rows an index has and how many words in each column, as FTS5 packs them.
-- name: index_totals
SELECT block FROM message_index_data WHERE id = 1;

-- name: newest_summaries
SELECT rowid FROM summary_index WHERE summary_index MATCH ? ORDER BY rowid DESC LIMIT ?;

-- name: newest_summaries_between
SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM summary_index WHERE summary_index MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?
) AS newest;

-- name: oldest_summaries_between
SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM summary_index WHERE summary_index MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?
) AS oldest;

-- name: numbers_of_newest_summaries
SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM summary_index WHERE summary_index MATCH ? ORDER BY rowid DESC LIMIT ?
) AS newest;

-- name: newest_ranked_summaries
SELECT rowid, bm25(summary_index, 1.0, 0.0) FROM summary_index WHERE summary_index MATCH ? ORDER BY rowid DESC LIMIT ?;

-- name: count_matching_summaries
SELECT count(*) FROM summary_index WHERE summary_index MATCH ?;

-- name: count_matching_summaries_to
SELECT count(*) FROM summary_index WHERE summary_index MATCH ? AND rowid <= ?;

-- name: count_matching_summaries_from
SELECT count(*) FROM summary_index WHERE summary_index MATCH ? AND rowid >= ?;

-- name: count_matching_summaries_between
SELECT count(*) FROM summary_index WHERE summary_index MATCH ? AND rowid BETWEEN ? AND ?;

-- name: rank_summaries
SELECT rowid, bm25(summary_index, 1.0, 0.0) FROM summary_index
WHERE summary_index MATCH ? AND rowid BETWEEN ? AND ? AND +rowid IN (SELECT value FROM json_each(?));

-- name: tokens_of_sources
SELECT coalesce(sum(CASE substr(source, 1, 1)
    WHEN 's' THEN (SELECT tokens FROM summary WHERE id = CAST(substr(source, 2) AS INTEGER))
    WHEN 'm' THEN (SELECT tokens FROM message WHERE id = CAST(substr(source, 2) AS INTEGER)) END), 0)
FROM summary_source WHERE summary_id = ?;

-- name: message_at
SELECT id FROM message WHERE branch_id = ? AND seq = ?;

-- name: newest_message
SELECT coalesce(max(id), 0) FROM message;

-- name: newest_summary
SELECT coalesce(max(id), 0) FROM summary;

-- name: other_owners
SELECT id FROM owner WHERE id < ?1 UNION ALL SELECT id FROM owner WHERE id > ?1 LIMIT ?2;

-- name: other_conversations
SELECT EXISTS (SELECT 1 FROM conversation WHERE id < ?1) OR EXISTS (SELECT 1 FROM conversation WHERE id > ?1);

-- name: merge_messages
INSERT INTO message_index (message_index, rank) VALUES ('merge', ?);

-- name: messages_in_place
SELECT json_group_array(message.id)
FROM json_each(?1) AS wanted CROSS JOIN message ON message.id = wanted.value
WHERE message.owner_id = ?2 AND (?3 IS NULL OR message.conversation_id = ?3);

-- name: message_places
SELECT message.branch_id, message.seq
FROM json_each(?) AS wanted CROSS JOIN message ON message.id = wanted.value
ORDER BY wanted.key;

-- name: near_messages
SELECT message.id, conversation.name, message.branch_id, message.seq, message.role, message.body, message.time_s,
       message.tokens, message.conversation_id, message.gate, message.gate_tokens, message.crc
FROM json_each(?1) AS stretch
CROSS JOIN message ON message.branch_id = json_extract(stretch.value, '$[0]')
    AND message.seq BETWEEN json_extract(stretch.value, '$[1]') AND json_extract(stretch.value, '$[2]')
CROSS JOIN conversation ON conversation.id = message.conversation_id
WHERE message.owner_id = ?2
ORDER BY stretch.key, message.seq;

-- name: summary_texts
SELECT summary.*, conversation.name AS conversation
FROM json_each(?1) AS wanted
CROSS JOIN summary ON summary.id = wanted.value
CROSS JOIN conversation ON conversation.id = summary.conversation_id
WHERE conversation.owner_id = ?2
ORDER BY wanted.key;

-- name: count_conversation_messages
SELECT coalesce(sum(head_seq - fork_seq), 0) FROM branch WHERE conversation_id = ?;

-- name: count_owner_messages
SELECT coalesce(sum(branch.head_seq - branch.fork_seq), 0)
FROM conversation JOIN branch ON branch.conversation_id = conversation.id WHERE conversation.owner_id = ?;
