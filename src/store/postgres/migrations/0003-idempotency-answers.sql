-- What each Idempotency-Key gave, kept with the key: rows that change cannot change a first answer. `request` and `answer`
-- are JSON, members in the contract's order and without spaces; a later request is the same when its `request` is.
-- The table of before is renamed, so that the rights on it stay as they are.

-- Creates wait until the migration is committed.
SELECT pg_advisory_xact_lock(1346720851, 1);

CREATE FUNCTION petstore_new_pet_json(name text, category_id bigint, status text) RETURNS text LANGUAGE sql STABLE
RETURN concat('{"name":', to_json(name), ',"categoryId":', category_id, ',"status":"', status, '"}');

CREATE FUNCTION petstore_pet_json(id bigint, name text, category_id bigint, status text) RETURNS text LANGUAGE sql STABLE
RETURN concat('{"id":', id, ',"name":', to_json(name), ',"categoryId":', category_id, ',"status":"', status, '"}');

-- The rows are written anew and the constraints made afterwards: to update a million in place takes more than twice as long.
CREATE UNLOGGED TABLE petstore_first_answers AS
SELECT used.key_id, used.key, 'createPet' AS operation, petstore_new_pet_json(name, category_id, status) AS request,
       petstore_pet_json(id, name, category_id, status) AS answer, used.created_at
FROM idempotency_keys AS used JOIN pets ON id = pet_id;
TRUNCATE idempotency_keys;
ALTER TABLE idempotency_keys RENAME TO idempotency_answers;
ALTER TABLE idempotency_answers
  DROP pet_id, DROP CONSTRAINT idempotency_keys_key_id_key_key, DROP CONSTRAINT idempotency_keys_key_id_fkey,
  ADD operation text NOT NULL, ADD request text NOT NULL, ADD answer text NOT NULL;
INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at) SELECT * FROM petstore_first_answers;
DROP TABLE petstore_first_answers;
ALTER TABLE idempotency_answers ADD PRIMARY KEY (key_id, key), ADD FOREIGN KEY (key_id) REFERENCES keys (id);
CREATE INDEX idempotency_answers_by_time ON idempotency_answers (created_at);

-- Adds a batch of pets, in order. One whose idempotency key was used after `kept_since` is not added: what the key gave
-- comes back instead, in `operation`, `request` and `answer`. A key may be in a batch once, with its request.
-- The lock is taken first, and each statement of a function sees what was committed before it began (READ COMMITTED): so
-- two servers that get the same key see what the other has done.
CREATE FUNCTION petstore_add_pets(batch json, at bigint, kept_since bigint)
RETURNS TABLE (place bigint, id bigint, operation text, request text, answer text)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  RETURN QUERY
  WITH new AS MATERIALIZED (
    SELECT * FROM ROWS FROM (
      json_to_recordset(batch) AS (name text, category_id bigint, status text, created_by bigint, key text, request text)
    ) WITH ORDINALITY AS new (name, category_id, status, created_by, key, request, place)
  ), known AS MATERIALIZED (
    -- Each key is looked up by itself: a plan that was made while the table was small cannot read all of it later.
    SELECT place, used.*
    FROM new JOIN LATERAL (
      SELECT operation, request, answer, created_at FROM idempotency_answers AS used
      WHERE used.key_id = new.created_by AND used.key = new.key LIMIT 1
    ) AS used ON used.created_at > kept_since
  ), unknown AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY place) AS turn FROM new WHERE place NOT IN (SELECT place FROM known)
  ), added AS (
    -- Ids are taken in the order of the rows.
    INSERT INTO pets (name, category_id, status, created_at, created_by)
    SELECT name, category_id, status, at, created_by FROM unknown ORDER BY turn
    RETURNING id
  ), numbered AS (
    SELECT id, row_number() OVER (ORDER BY id) AS turn FROM added
  ), kept AS (
    INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
    SELECT created_by, key, 'createPet', coalesce(request, petstore_new_pet_json(name, category_id, status)),
           petstore_pet_json(numbered.id, name, category_id, status), at
    FROM unknown JOIN numbered USING (turn) WHERE key IS NOT NULL
    ON CONFLICT (key_id, key) DO UPDATE SET operation = excluded.operation, request = excluded.request,
      answer = excluded.answer, created_at = excluded.created_at
  )
  SELECT place, numbered.id, NULL::text, NULL::text, NULL::text FROM unknown JOIN numbered USING (turn)
  UNION ALL
  SELECT place, NULL::bigint, operation, request, answer FROM known
  ORDER BY 1;
END $$;

-- What servers of the version before call, for as long as they run beside newer ones; they send no requests. A key that was used for something
-- else gives them a pet without a name, which is like none that they can be asked for: they refuse it as another pet.
CREATE OR REPLACE FUNCTION petstore_create_pets(batch json, at bigint, kept_since bigint)
RETURNS TABLE (place bigint, id bigint, replayed boolean, name text, category_id bigint, status text)
LANGUAGE sql AS $$
  SELECT place, coalesce(id, (pet ->> 'id')::bigint, 0), answer IS NOT NULL,
         pet ->> 'name', (pet ->> 'categoryId')::bigint, pet ->> 'status'
  FROM petstore_add_pets(batch, at, kept_since),
       LATERAL (SELECT CASE operation WHEN 'createPet' THEN answer::json END AS pet) AS first
  ORDER BY place
$$;

-- Their forgetting finds nothing to forget: newer servers do that. A create of theirs that waited for this migration is refused
-- with an error after which they ask again.
CREATE VIEW idempotency_keys AS
  SELECT NULL::bigint AS pet_id, NULL::bigint AS key_id, NULL::text AS key, NULL::bigint AS created_at WHERE false;
CREATE FUNCTION petstore_forget_nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER petstore_forget_nothing INSTEAD OF DELETE ON idempotency_keys
  FOR EACH ROW EXECUTE FUNCTION petstore_forget_nothing();
GRANT SELECT, DELETE ON idempotency_keys TO PUBLIC;
