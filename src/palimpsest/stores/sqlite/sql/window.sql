-- name: all_standing_items
SELECT item.*
FROM owner
JOIN conversation ON conversation.owner_id = owner.id
JOIN item INDEXED BY item_standing ON item.branch_id = conversation.branch_id AND item.standing = 1
WHERE owner.name = ? ORDER BY item.branch_id, item.first_seq;

-- name: standing_between
SELECT * FROM item WHERE branch_id = ?1 AND standing = 1 AND last_seq >= ?2 AND first_seq <= ?3 ORDER BY first_seq;

-- name: retire_item
UPDATE item SET standing = 0 WHERE branch_id = ? AND id = ?;

-- name: add_item
INSERT INTO item (branch_id, id, kind, first_seq, last_seq, note, tokens) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (branch_id, id) DO UPDATE SET standing = 1;

-- name: number_item
INSERT INTO item_number DEFAULT VALUES;

-- name: mark_compacted
UPDATE branch SET version = version + 1, thinking_from = max(thinking_from, ?) WHERE id = ?;

-- name: add_summary
INSERT INTO summary (conversation_id, branch_id, depth, first_seq, last_seq, body, tokens, method, model, earliest_s, latest_s, quotes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_source
INSERT INTO summary_source (summary_id, place, source) VALUES (?, ?, ?);

-- name: summary
SELECT * FROM summary WHERE id = ?;

-- name: sources
SELECT source FROM summary_source WHERE summary_id = ? ORDER BY place;

-- name: index_summary
INSERT INTO summary_index (rowid, scope, body) VALUES (?, ?, ?);

-- name: add_compaction
INSERT INTO compaction (branch_id, reason, numbers, replaced, item_id, item_kind, note, before_tokens, after_tokens,
                        thinking_from, calls, evidence_kept, evidence_left, time_s, evidence, ledger, ledger_through)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: compactions
SELECT * FROM compaction WHERE branch_id = ? ORDER BY id;

-- name: last_ledger
SELECT * FROM compaction WHERE branch_id = ? AND ledger_through <= ? ORDER BY id DESC LIMIT 1;

-- name: save_ledger
INSERT INTO ledger (branch_id, body) VALUES (?, ?) ON CONFLICT (branch_id) DO UPDATE SET body = excluded.body;

-- name: ledger
SELECT body, crc FROM ledger WHERE branch_id = ?;

-- name: save_memo
INSERT INTO memo (conversation_id, body) VALUES (?, ?) ON CONFLICT (conversation_id) DO UPDATE SET body = excluded.body;

-- name: memo
SELECT body, crc FROM memo WHERE conversation_id = ?;

-- name: memos
SELECT conversation.name, memo.body, memo.crc
FROM owner
JOIN conversation ON conversation.owner_id = owner.id
JOIN memo ON memo.conversation_id = conversation.id
WHERE owner.name = ?;

-- name: add_pin
INSERT INTO pin (conversation_id, quotes, records, tokens, time_s) VALUES (?, ?, ?, ?, ?);

-- name: pins
SELECT * FROM pin WHERE conversation_id = ? ORDER BY id;

-- name: remove_pin
DELETE FROM pin WHERE id = ? AND conversation_id = ?;

-- name: save_usage
INSERT INTO usage (branch_id, input_tokens, output_tokens, cached_tokens, cache_write_tokens, estimated_tokens,
                   window_mark, last_seq, model)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (branch_id) DO UPDATE SET
    input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, cached_tokens = excluded.cached_tokens,
    cache_write_tokens = excluded.cache_write_tokens, estimated_tokens = excluded.estimated_tokens,
    window_mark = excluded.window_mark, last_seq = excluded.last_seq, model = excluded.model;

-- name: last_usage
SELECT * FROM usage WHERE branch_id = ?;

-- name: save_calibration
INSERT INTO calibration (owner_id, model, kind, estimated, reported) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (owner_id, model, kind) DO UPDATE SET estimated = excluded.estimated, reported = excluded.reported;

-- name: calibration
SELECT * FROM calibration WHERE owner_id = ? AND model = ?;
