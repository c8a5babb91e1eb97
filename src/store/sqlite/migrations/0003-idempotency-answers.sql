-- What was answered first under which Idempotency-Key, and to which request of which operation. Orders change pets, so neither
-- can be read from the pet any more.

CREATE TABLE idempotency_answers (
  key_id     INTEGER NOT NULL REFERENCES keys (id),
  key        TEXT    NOT NULL,
  operation  TEXT    NOT NULL,
  request    TEXT    NOT NULL,
  answer     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, key)
) STRICT;

INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
SELECT k.key_id, k.key, 'createPet',
  '{"name":' || json_quote(name) || ',"categoryId":' || category_id || ',"status":"' || status || '"}',
  '{"id":' || id || ',"name":' || json_quote(name) || ',"categoryId":' || category_id || ',"status":"' || status || '"}',
  k.created_at
FROM idempotency_keys AS k JOIN pets ON id = pet_id
ORDER BY pet_id;

CREATE INDEX idempotency_answers_by_time ON idempotency_answers (created_at);

DROP TABLE idempotency_keys;

-- A server of the version before may run until it is restarted: this is how it finds, keeps and forgets keys. A key that was
-- used for another operation is found with the pet of its request, which is not the pet that is asked for: a mismatch.

CREATE VIEW idempotency_keys AS
SELECT coalesce(answer ->> 'petId', answer ->> 'id') AS pet_id, key_id, key, created_at FROM idempotency_answers;

CREATE TRIGGER idempotency_keys_insert INSTEAD OF INSERT ON idempotency_keys BEGIN
  INSERT OR REPLACE INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
  SELECT NEW.key_id, NEW.key, 'createPet',
    '{"name":' || json_quote(name) || ',"categoryId":' || category_id || ',"status":"' || status || '"}',
    '{"id":' || id || ',"name":' || json_quote(name) || ',"categoryId":' || category_id || ',"status":"' || status || '"}',
    NEW.created_at
  FROM pets WHERE id = NEW.pet_id;
END;

CREATE TRIGGER idempotency_keys_delete INSTEAD OF DELETE ON idempotency_keys BEGIN
  SELECT NULL; -- The servers of this version forget for all.
END;
