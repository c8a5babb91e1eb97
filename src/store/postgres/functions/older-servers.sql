-- What servers of older schemas call, for as long as they run beside newer ones. They know no newer column, which stays empty, or as its
-- default has it, in what they add.

CREATE OR REPLACE FUNCTION petstore_new_pet_json(name text, category_id bigint, status text) RETURNS text LANGUAGE sql STABLE
RETURN concat('{"name":', to_json(name), ',"categoryId":', category_id, ',"status":"', status, '"}');

CREATE OR REPLACE FUNCTION petstore_pet_json(id bigint, name text, category_id bigint, status text) RETURNS text LANGUAGE sql STABLE
RETURN concat('{"id":', id, ',"name":', to_json(name), ',"categoryId":', category_id, ',"status":"', status, '"}');

-- Schemas 3 to 6: adds a batch of pets, in order. One whose idempotency key was used after `kept_since` is not added: what the key gave
-- comes back instead, in `operation`, `request` and `answer`. A key may be in a batch once, with its request.
-- The lock is taken first, and each statement of a function sees what was committed before it began (READ COMMITTED): so
-- two servers that get the same key see what the other has done.
CREATE OR REPLACE FUNCTION petstore_add_pets(batch json, at bigint, kept_since bigint)
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

-- Schema 2: as before, but they send no requests. A key that was used for something else gives them a pet without a name, which is like none
-- that they can be asked for: they refuse it as another pet.
CREATE OR REPLACE FUNCTION petstore_create_pets(batch json, at bigint, kept_since bigint)
RETURNS TABLE (place bigint, id bigint, replayed boolean, name text, category_id bigint, status text)
LANGUAGE sql AS $$
  SELECT place, coalesce(id, (pet ->> 'id')::bigint, 0), answer IS NOT NULL,
         pet ->> 'name', (pet ->> 'categoryId')::bigint, pet ->> 'status'
  FROM petstore_add_pets(batch, at, kept_since),
       LATERAL (SELECT CASE operation WHEN 'createPet' THEN answer::json END AS pet) AS first
  ORDER BY place
$$;

-- Schemas 4 to 6: a batch of orders, as it is now done in change-orders.sql, but without a look at the API keys and the versions of orders.
CREATE OR REPLACE FUNCTION petstore_change_orders(
  ids bigint[], states text[], key_ids bigint[], placements json, used_at bigint, kept_since bigint)
RETURNS SETOF petstore_outcome
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_nestloop = off AS $$
DECLARE
  now bigint;
  due bigint[];
  moved bigint[];
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  PERFORM pg_logical_emit_message(true, 'petstore', '');
  now := petstore_now();

  IF EXISTS (SELECT FROM orders WHERE status = 'pending' AND expires_at <= now) THEN
    due := ARRAY(
      SELECT held.id
      FROM unnest(ids) AS asked (id) CROSS JOIN LATERAL (SELECT * FROM orders WHERE orders.id = asked.id LIMIT 1) AS held
      WHERE held.status = 'pending' AND held.expires_at <= now
      UNION
      SELECT held.id
      FROM json_to_recordset(placements) AS asked (pet_id bigint) CROSS JOIN LATERAL (
        SELECT * FROM orders WHERE orders.pet_id = asked.pet_id AND status IN ('pending', 'completed') LIMIT 1
      ) AS held
      WHERE held.status = 'pending' AND held.expires_at <= now);
    PERFORM petstore_move_orders(due, array_fill('expired'::text, ARRAY[cardinality(due)]), '{}', now);
    RETURN QUERY
    SELECT 0::bigint, true, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text,
           id, pet_id, NULL::text, status, reference, expires_at, placed_at, changed_at
    FROM orders WHERE id = ANY (due);
  END IF;

  IF ids <> '{}' THEN
    moved := petstore_move_orders(ids, states, key_ids, now);
    RETURN QUERY
    SELECT asked.place, asked.id = ANY (moved), NULL::text, NULL::text, NULL::text, NULL::text, NULL::text,
           orders.id, pet_id, pet.name, status, reference, expires_at, placed_at, changed_at
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place)
    JOIN orders ON orders.id = asked.id AND orders.id = ANY (ids)
    CROSS JOIN LATERAL (SELECT name FROM pets WHERE pets.id = orders.pet_id LIMIT 1) AS pet;
  END IF;

  IF json_array_length(placements) > 0 THEN
    RETURN QUERY SELECT * FROM petstore_place_orders(placements, cardinality(ids), now, used_at, kept_since);
  END IF;
END $$;

-- Schema 2: a create that waited for the migration writes its Idempotency-Key into a table that only stands here for it. Every server
-- answers 503 to this error.
CREATE OR REPLACE FUNCTION petstore_refuse_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'the schema has changed' USING ERRCODE = 'serialization_failure';
END $$;
CREATE OR REPLACE TRIGGER petstore_refuse_key BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION petstore_refuse_key();

-- Nobody calls it any more.
DROP FUNCTION IF EXISTS petstore_placed_json(bigint, text, bigint, text, bigint, bigint);
