-- Which animal was added under which Idempotency-Key, by which API key. Animals do not change, so the animal is the first
-- answer, and also tells whether a later request asks for the same. In the order of the animals is in the order of time:
-- what is to be forgotten stands first.

CREATE TABLE idempotency_keys (
  pet_id     INTEGER PRIMARY KEY REFERENCES pets (id),
  key_id     INTEGER NOT NULL REFERENCES keys (id),
  key        TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (key_id, key)
) STRICT;
