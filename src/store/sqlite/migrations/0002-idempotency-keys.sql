-- Which pet was added with which Idempotency-Key, by which API key. Pets do not change, so the pet is the first answer, and shows
-- whether a later request is the same. The order of the ids is the order of time, so the oldest rows come first.

CREATE TABLE idempotency_keys (
  pet_id     INTEGER PRIMARY KEY REFERENCES pets (id),
  key_id     INTEGER NOT NULL REFERENCES keys (id),
  key        TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (key_id, key)
) STRICT;
