-- The rows of a store of schema 17, `old`, that are the same in one of schema 21, `main`. `rowid` is the order in which keys are forgotten.

INSERT INTO main.keys (id, name, hash, read_only, created_at, expires_at, revoked_at, ending, last_used_at)
SELECT id, name, hash, read_only, created_at, expires_at, revoked_at, ending, last_used_at FROM old.keys;

INSERT INTO main.deprecated_calls (key_id, operation_id, calls, last_at)
SELECT key_id, operation_id, calls, last_at FROM old.deprecated_calls;

INSERT INTO main.pets (id, name, category_id, status, created_at, created_by)
SELECT id, name, category_id, status, created_at, created_by FROM old.pets;

INSERT INTO main.orders (id, pet_id, status, reference, expires_at, placed_at, changed_at)
SELECT id, pet_id, status, reference, expires_at, placed_at, changed_at FROM old.orders;

INSERT OR REPLACE INTO main.inventory (status, pets, counted_to) SELECT status, pets, counted_to FROM old.pet_counts;

INSERT INTO main.idempotency_answers (rowid, key_id, key, operation, request, answer, created_at)
SELECT rowid, key_id, key, operation, request, answer, created_at FROM old.idempotency_answers;

DELETE FROM main.event_epoch;
INSERT INTO main.event_epoch (epoch) SELECT epoch FROM old.event_epoch;

DELETE FROM main.sqlite_sequence;
INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM old.sqlite_sequence WHERE name IN ('keys', 'pets', 'orders')
UNION ALL SELECT 'events', 0;
