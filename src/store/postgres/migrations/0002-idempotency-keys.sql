-- Which pet was added with which Idempotency-Key, by which API key. Pets do not change, so the pet is the first answer, and shows
-- whether a later request is the same. The order of the ids is the order of time, so the oldest rows come first.

CREATE TABLE idempotency_keys (
  pet_id     bigint NOT NULL PRIMARY KEY REFERENCES pets (id),
  key_id     bigint NOT NULL REFERENCES keys (id),
  key        text   NOT NULL,
  created_at bigint NOT NULL,
  UNIQUE (key_id, key)
);

-- Adds a batch of pets, in order. A pet whose idempotency key was used after `kept_since` is not added; the first pet with that
-- key is returned instead. A key may be in a batch only once.
-- The lock is taken first, and each statement of a function sees everything that was committed before it started (READ
-- COMMITTED). So two servers that get the same key see each other's pets.
CREATE FUNCTION petstore_create_pets(batch json, at bigint, kept_since bigint)
RETURNS TABLE (place bigint, id bigint, replayed boolean, name text, category_id bigint, status text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  RETURN QUERY
  WITH new AS MATERIALIZED (
    SELECT * FROM ROWS FROM (
      json_to_recordset(batch) AS (name text, category_id bigint, status text, created_by bigint, key text)
    ) WITH ORDINALITY AS new (name, category_id, status, created_by, key, place)
  ), known AS MATERIALIZED (
    SELECT new.place, pets.id, pets.name, pets.category_id, pets.status
    FROM new
    JOIN idempotency_keys AS used ON used.key_id = new.created_by AND used.key = new.key AND used.created_at > kept_since
    JOIN pets ON pets.id = used.pet_id
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
    INSERT INTO idempotency_keys (pet_id, key_id, key, created_at)
    SELECT numbered.id, created_by, key, at FROM unknown JOIN numbered USING (turn) WHERE key IS NOT NULL
    ON CONFLICT (key_id, key) DO UPDATE SET pet_id = excluded.pet_id, created_at = excluded.created_at
  )
  SELECT place, numbered.id, false, NULL::text, NULL::bigint, NULL::text FROM unknown JOIN numbered USING (turn)
  UNION ALL
  SELECT place, known.id, true, known.name, known.category_id, known.status FROM known
  ORDER BY 1;
END $$;
