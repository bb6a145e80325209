-- name: branches_to_forget
SELECT branch.*, conversation.name AS conversation
FROM branch JOIN conversation ON conversation.id = branch.conversation_id
WHERE branch.conversation_id = ? ORDER BY branch.id;

-- name: messages_to_forget
SELECT * FROM message WHERE branch_id = ? ORDER BY seq;

-- name: blank_message
UPDATE message SET role = ?, body = ?, tokens = ?, time_s = NULL, gate = '', gate_tokens = 0 WHERE id = ?;

-- name: relink_message
UPDATE message SET chain = ? WHERE id = ?;

-- name: relink_branch
UPDATE branch SET head_chain = ?, calls = ?, tokens = ?, version = version + 1, purged = version + 1
WHERE id = ?;

-- name: add_tombstone
INSERT INTO tombstone (message_id, conversation_id, salt, mark, origin_mark) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (message_id) DO NOTHING;

-- name: tombstones
SELECT message.chain, tombstone.salt, tombstone.mark, tombstone.origin_mark
FROM tombstone JOIN message ON message.id = tombstone.message_id WHERE tombstone.conversation_id = ?;

-- name: owner_tombstones
SELECT message.chain, tombstone.salt, tombstone.mark, tombstone.origin_mark
FROM owner
JOIN conversation ON conversation.owner_id = owner.id
JOIN tombstone ON tombstone.conversation_id = conversation.id
JOIN message ON message.id = tombstone.message_id
WHERE owner.name = ?;

-- name: forget_vector
DELETE FROM vector WHERE message_id = ?;

-- name: forget_vector_behind
-- It tells of the message before it.
DELETE FROM vector WHERE message_id = (
    SELECT behind.id FROM message JOIN message AS behind
        ON behind.branch_id = message.branch_id AND behind.seq = message.seq + 1
    WHERE message.id = ?);

-- name: embed_again_from
UPDATE vector_progress SET seq = min(seq, (SELECT message.seq FROM message WHERE message.id = ?1))
WHERE branch_id = (SELECT message.branch_id FROM message WHERE message.id = ?1);

-- name: append_keys_to_forget
SELECT key, message_ids FROM append_key WHERE conversation_id = ?;

-- name: forget_append_key
DELETE FROM append_key WHERE conversation_id = ? AND key = ?;

-- name: forget_usage
DELETE FROM usage WHERE branch_id IN (SELECT id FROM branch WHERE conversation_id = ?);

-- name: forget_ledgers
DELETE FROM ledger WHERE branch_id IN (SELECT id FROM branch WHERE conversation_id = ?);

-- name: summaries_to_forget
SELECT * FROM summary WHERE conversation_id = ? ORDER BY id;

-- name: rewrite_summary
UPDATE summary SET body = ?, tokens = ?, method = 'extractive', model = '', earliest_s = ?, latest_s = ?, quotes = ?
WHERE id = ?;

-- name: unindex_summary
INSERT INTO summary_index (summary_index, rowid, scope, body) VALUES ('delete', ?, ?, ?);

-- name: resize_item
UPDATE item SET tokens = ?1, note = ''
WHERE id = ?2 AND branch_id IN (SELECT id FROM branch WHERE conversation_id = ?3);

-- name: resize_record
UPDATE compaction SET after_tokens = ?1, note = ''
WHERE item_id = ?2 AND branch_id IN (SELECT id FROM branch WHERE conversation_id = ?3);

-- name: stubs_to_forget
SELECT DISTINCT id, tokens FROM item WHERE branch_id = ? AND kind = 'stub' AND first_seq = ?;

-- name: blank_item
UPDATE item SET kind = 'omitted', note = ?1, tokens = ?2
WHERE id = ?3 AND branch_id IN (SELECT id FROM branch WHERE conversation_id = ?4);

-- name: blank_record
UPDATE compaction SET item_kind = 'omitted', note = ?1, after_tokens = ?2
WHERE item_id = ?3 AND branch_id IN (SELECT id FROM branch WHERE conversation_id = ?4);

-- name: forget_shown_items (what is shown of a large result stands under the message's own id)
DELETE FROM item WHERE id = ? AND branch_id IN (SELECT id FROM branch WHERE conversation_id = ?);

-- name: records_to_forget
SELECT id, item_id, calls, ledger, ledger_through FROM compaction WHERE branch_id = ?;

-- name: blank_ledger
UPDATE compaction SET ledger = '' WHERE id = ?;

-- name: blank_calls
UPDATE compaction SET calls = ? WHERE id = ?;

-- name: restate_ledger
UPDATE compaction SET ledger = ?1, ledger_through = ?2
WHERE id = (SELECT max(id) FROM compaction WHERE branch_id = ?3);

-- name: retitle
UPDATE conversation SET title = ? WHERE id = ?;

-- name: forget_pin
DELETE FROM pin WHERE id = ?;

-- name: forget_word
DELETE FROM word WHERE id = ?;

-- name: word_number
SELECT id FROM word WHERE word = ?;

-- name: unindex_word
INSERT INTO word_index (word_index, rowid, word) VALUES ('delete', ?, ?);

-- name: messages_with_word
SELECT message.* FROM message_index JOIN message ON message.id = message_index.rowid
WHERE message_index MATCH ? ORDER BY message_index.rowid DESC;

-- name: summaries_with_word
SELECT summary.id, summary.body FROM summary_index JOIN summary ON summary.id = summary_index.rowid
WHERE summary_index MATCH ? ORDER BY summary_index.rowid DESC;

-- name: note_erasure
UPDATE erasure SET times = times + 1, unswept = 1 WHERE id = 1;

-- name: erasures
SELECT times FROM erasure WHERE id = 1;

-- name: database_files
PRAGMA database_list;

-- name: unswept
SELECT unswept FROM erasure WHERE id = 1;

-- name: swept
UPDATE erasure SET unswept = 0 WHERE id = 1 AND times = ?;

-- name: optimize_messages
INSERT INTO message_index (message_index, rank) VALUES ('merge', ?);

-- name: optimize_summaries
INSERT INTO summary_index (summary_index, rank) VALUES ('merge', ?);

-- name: optimize_words
INSERT INTO word_index (word_index, rank) VALUES ('merge', ?);

-- name: known_name
SELECT 1 FROM forgotten JOIN owner ON owner.id = forgotten.owner_id WHERE owner.name = ? AND forgotten.mark = ?;

-- name: add_forgotten_name
INSERT INTO forgotten (owner_id, mark) VALUES (?, ?) ON CONFLICT DO NOTHING;

-- name: remove_forgotten_name
DELETE FROM forgotten WHERE owner_id = ? AND mark = ?;

-- name: forget_names
DELETE FROM forgotten WHERE owner_id = ?;

-- name: forget_vectors_of
DELETE FROM vector WHERE message_id IN (
    SELECT message.id FROM branch JOIN message ON message.branch_id = branch.id WHERE branch.conversation_id = ?
);

-- name: forget_vector_progress_of
DELETE FROM vector_progress WHERE branch_id IN (SELECT id FROM branch WHERE conversation_id = ?);

-- name: forget_items_of
DELETE FROM item WHERE branch_id IN (SELECT id FROM branch WHERE conversation_id = ?);

-- name: forget_accounts_of
DELETE FROM account WHERE branch_id IN (SELECT id FROM branch WHERE conversation_id = ?);

-- name: forget_records_of
DELETE FROM compaction WHERE branch_id IN (SELECT id FROM branch WHERE conversation_id = ?);

-- name: forget_sources_of
DELETE FROM summary_source WHERE summary_id IN (SELECT id FROM summary WHERE conversation_id = ?);

-- name: forget_summaries_of
DELETE FROM summary WHERE conversation_id = ?;

-- name: forget_append_keys_of
DELETE FROM append_key WHERE conversation_id = ?;

-- name: forget_pins_of
DELETE FROM pin WHERE conversation_id = ?;

-- name: forget_spent_of
DELETE FROM spent WHERE conversation_id = ?;

-- name: forget_memo_of
DELETE FROM memo WHERE conversation_id = ?;

-- name: forget_jobs_of
DELETE FROM job WHERE conversation_id = ?;

-- name: forget_copies_of
DELETE FROM copy WHERE conversation_id = ? AND kind <> 'export';

-- name: keep_exports_of (a person asked for them: they stay known, without the conversation's name)
UPDATE copy SET conversation_id = NULL, stale = 1 WHERE conversation_id = ?;

-- name: forget_tombstones_of
DELETE FROM tombstone WHERE conversation_id = ?;

-- name: forget_messages_of
DELETE FROM message WHERE branch_id IN (SELECT id FROM branch WHERE conversation_id = ?);

-- name: forget_branches_of
DELETE FROM branch WHERE conversation_id = ?;

-- name: forget_conversation
DELETE FROM conversation WHERE id = ?;

-- name: forget_leases (the name of a lease ends with the conversation's)
DELETE FROM lease WHERE substr(name, -length(?1)) = ?1;

-- name: count_of_conversation
SELECT (SELECT count(*) FROM branch JOIN message ON message.branch_id = branch.id
        WHERE branch.conversation_id = ?1) AS messages,
       (SELECT count(*) FROM branch JOIN message ON message.branch_id = branch.id
        JOIN vector ON vector.message_id = message.id WHERE branch.conversation_id = ?1) AS vectors,
       (SELECT count(*) FROM compaction JOIN branch ON branch.id = compaction.branch_id
        WHERE branch.conversation_id = ?1) AS compactions;

-- name: forget_calibrations
DELETE FROM calibration WHERE owner_id = ?;

-- name: forget_copies_of_owner
DELETE FROM copy WHERE owner_id = ?;

-- name: forget_owner
DELETE FROM owner WHERE id = ?;

-- name: weights
SELECT conversation.name, conversation.updated_s, conversation.parent,
       (SELECT coalesce(sum(length(CAST(message.body AS BLOB))), 0)
        FROM branch JOIN message ON message.branch_id = branch.id WHERE branch.conversation_id = conversation.id)
       + (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM summary
          WHERE summary.conversation_id = conversation.id) AS size_bytes
FROM conversation JOIN owner ON owner.id = conversation.owner_id
WHERE owner.name = ? ORDER BY conversation.updated_s, conversation.id;

-- name: note_copy
INSERT INTO copy (owner_id, conversation_id, kind, path, time_s) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET owner_id = excluded.owner_id, conversation_id = excluded.conversation_id,
    kind = excluded.kind, time_s = excluded.time_s, stale = 0;

-- name: copies
SELECT copy.kind, copy.path, coalesce(conversation.name, '') AS conversation, copy.time_s, copy.stale
FROM copy LEFT JOIN conversation ON conversation.id = copy.conversation_id
WHERE copy.owner_id IS NULL OR copy.owner_id = (SELECT id FROM owner WHERE name = ?) ORDER BY copy.id LIMIT 10000;

-- name: drop_copy
DELETE FROM copy WHERE path = ?;

-- name: stale_copies
UPDATE copy SET stale = 1 WHERE conversation_id = ?;
