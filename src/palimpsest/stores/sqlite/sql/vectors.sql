-- name: branches_to_embed
SELECT branch.id, branch.closed_seq,
       CASE WHEN vector_progress.model = ?2 THEN vector_progress.seq ELSE branch.fork_seq END AS seq
FROM branch LEFT JOIN vector_progress ON vector_progress.branch_id = branch.id
WHERE branch.conversation_id = ?1
    AND branch.closed_seq > CASE WHEN vector_progress.model = ?2 THEN vector_progress.seq ELSE branch.fork_seq END;

-- name: messages_to_embed
-- Those without a vector of the model, each with the message before it in the same branch.
SELECT message.id, message.seq, message.role, message.body, before.role AS before_role, before.body AS before_body
FROM message
LEFT JOIN message AS before ON before.branch_id = message.branch_id AND before.seq = message.seq - 1
WHERE message.branch_id = ?1 AND message.seq BETWEEN ?2 AND ?3
    AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.message_id = message.id AND vector.model = ?5)
ORDER BY message.seq LIMIT ?4;

-- name: save_vector
INSERT INTO vector (message_id, owner_id, conversation_id, model, body)
SELECT message.id, message.owner_id, message.conversation_id, ?2, ?3 FROM message
WHERE message.id = ?1 AND message.owner_id = ?4
ON CONFLICT (message_id) DO UPDATE SET model = excluded.model, body = excluded.body;

-- name: save_vector_progress
INSERT INTO vector_progress (branch_id, model, seq)
SELECT branch.id, ?2, ?3 FROM branch JOIN conversation ON conversation.id = branch.conversation_id
WHERE branch.id = ?1 AND conversation.owner_id = ?4
ON CONFLICT (branch_id) DO UPDATE SET model = excluded.model, seq = excluded.seq;

-- name: conversation_vectors
-- ?5 is a role or '', ?6 and ?7 are times or NULL.
SELECT message_id, body FROM vector
WHERE owner_id = ?1 AND model = ?2 AND conversation_id = ?3
    AND (?5 = '' AND ?6 IS NULL AND ?7 IS NULL OR EXISTS (
        SELECT 1 FROM message
        WHERE message.id = vector.message_id AND (?5 = '' OR role = ?5)
            AND (?6 IS NULL OR time_s >= ?6) AND (?7 IS NULL OR time_s < ?7)
    ))
ORDER BY message_id DESC LIMIT ?4;

-- name: owner_vectors
-- ?4 is a role or '', ?5 and ?6 are times or NULL.
SELECT message_id, body FROM vector
WHERE owner_id = ?1 AND model = ?2
    AND (?4 = '' AND ?5 IS NULL AND ?6 IS NULL OR EXISTS (
        SELECT 1 FROM message
        WHERE message.id = vector.message_id AND (?4 = '' OR role = ?4)
            AND (?5 IS NULL OR time_s >= ?5) AND (?6 IS NULL OR time_s < ?6)
    ))
LIMIT ?3;
