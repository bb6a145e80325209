-- name: owner_conversations
SELECT conversation.* FROM conversation WHERE owner_id = ? ORDER BY id;

-- name: jobs_of
SELECT * FROM job WHERE conversation_id = ? ORDER BY id;

-- name: conversation_vectors_of
SELECT vector.* FROM message JOIN vector ON vector.message_id = message.id
WHERE message.branch_id = ? ORDER BY message.seq;

-- name: vector_progress_of
SELECT * FROM vector_progress WHERE branch_id = ?;

-- name: highest_given
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0);

-- name: heads_of
SELECT head_chain FROM branch WHERE conversation_id = ? ORDER BY head_chain;

-- name: has_message
SELECT 1 FROM message WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1;

-- name: has_conversation
SELECT 1 FROM conversation WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1;

-- name: has_branch
SELECT 1 FROM branch WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1;

-- name: has_summary
SELECT 1 FROM summary WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1;

-- name: has_compaction
SELECT 1 FROM compaction WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1;

-- name: has_pin
SELECT 1 FROM pin WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1;

-- name: note_given
UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1;

-- name: begin_sequence
INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1);

-- name: restore_conversation
INSERT INTO conversation (owner_id, id, name, title, parent, system, branch_id, updated_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: restore_branch
INSERT INTO branch (conversation_id, id, parent_id, fork_seq, forked_after, head_seq, closed_seq, version, thinking_from,
                    purged, head_chain)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, X'');

-- name: restore_message
INSERT INTO message (owner_id, conversation_id, id, branch_id, seq, role, body, tokens, time_s, chain, gate, gate_tokens)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: restore_end
UPDATE branch SET head_seq = ?, head_chain = ?, calls = ?, tokens = ?, closed_seq = ? WHERE id = ?;

-- name: restore_summary
INSERT INTO summary (conversation_id, id, branch_id, depth, first_seq, last_seq, body, tokens, method, model, earliest_s,
                     latest_s, quotes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: restore_compaction
INSERT INTO compaction (id, branch_id, reason, numbers, replaced, item_id, item_kind, note, before_tokens, after_tokens,
                        thinking_from, calls, evidence_kept, evidence_left, time_s, evidence, ledger, ledger_through)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: restore_item
INSERT INTO item (branch_id, id, kind, first_seq, last_seq, note, tokens, standing) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: restore_pin
INSERT INTO pin (conversation_id, id, quotes, records, tokens, time_s) VALUES (?, ?, ?, ?, ?, ?);

-- name: restore_ledger
INSERT INTO ledger (branch_id, body) VALUES (?, ?);

-- name: restore_memo
INSERT INTO memo (conversation_id, body) VALUES (?, ?);

-- name: restore_usage
INSERT INTO usage (branch_id, input_tokens, output_tokens, cached_tokens, cache_write_tokens, estimated_tokens,
                   window_mark, last_seq, model)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: restore_account
INSERT INTO account (branch_id, body) VALUES (?, ?);

-- name: restore_spent
INSERT INTO spent (conversation_id, kind, model, time_s, input_tokens, cached_tokens, written_tokens, output_tokens, cost,
                   never_cost, units, reported, assumed)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: restore_append_key
INSERT INTO append_key (conversation_id, key, message_ids) VALUES (?, ?, ?);

-- name: restore_job
INSERT INTO job (conversation_id, kind, noted_s) VALUES (?, ?, ?);

-- name: restore_vector
INSERT INTO vector (owner_id, conversation_id, message_id, model, body) VALUES (?, ?, ?, ?, ?);

-- name: restore_vector_progress
INSERT INTO vector_progress (branch_id, model, seq) VALUES (?, ?, ?);

-- name: restore_calibration
INSERT INTO calibration (owner_id, model, kind, estimated, reported) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (owner_id, model, kind) DO NOTHING;

-- name: drop_items
DELETE FROM item WHERE branch_id = ?;

-- name: drop_compactions
DELETE FROM compaction WHERE branch_id = ?;

-- name: drop_ledger
DELETE FROM ledger WHERE branch_id = ?;

-- name: baseless_summaries
SELECT DISTINCT summary.id, summary.body FROM summary JOIN summary_source ON summary_source.summary_id = summary.id
WHERE summary.conversation_id = ?
  AND NOT EXISTS (SELECT 1 FROM message WHERE message.id = CAST(substr(summary_source.source, 2) AS INTEGER)
                  AND summary_source.source GLOB 'm*')
  AND NOT EXISTS (SELECT 1 FROM summary AS child WHERE child.id = CAST(substr(summary_source.source, 2) AS INTEGER)
                  AND summary_source.source GLOB 's*');

-- name: drop_sources
DELETE FROM summary_source WHERE summary_id = ?;

-- name: drop_summary
DELETE FROM summary WHERE id = ?;

-- name: restart_thinking
UPDATE branch SET thinking_from = 1 WHERE id = ?;

-- name: set_current_branch
UPDATE conversation SET branch_id = coalesce(branch_id, (SELECT max(id) FROM branch WHERE conversation_id = ?1)) WHERE id = ?1;

-- name: tombstones_of
SELECT tombstone.* FROM message JOIN tombstone ON tombstone.message_id = message.id
WHERE message.branch_id = ? ORDER BY message.seq;

-- name: restore_tombstone
INSERT INTO tombstone (conversation_id, message_id, salt, mark, origin_mark) VALUES (?, ?, ?, ?, ?);

-- name: forgotten_names_of
SELECT mark FROM forgotten WHERE owner_id = ?;
