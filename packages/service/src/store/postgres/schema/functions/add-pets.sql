-- Servers of 1.0.0 that run beside this version add pets with this function. This version does not call it, and it
-- never changes.

-- Adds a batch of pets in order. A pet whose idempotency key was used is not added; its first answer is returned in
-- `operation`, `request` and `answer`. A key can occur once in a batch, with its request. If one of `callers` (the
-- batch's API keys) is refused, nothing is added, and rows without a place name the refused keys. Expiry uses the
-- database's clock, because the server read its clock before the call waited. The lock is taken first, and each
-- statement sees everything committed before it (READ COMMITTED), so two servers with the same key see each other's
-- work.
CREATE OR REPLACE FUNCTION petstore_add_pets(callers bigint[], batch json)
RETURNS TABLE (place bigint, id bigint, refusal text, operation text, request text, answer text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  now bigint;
BEGIN
  PERFORM :take_write_lock;
  now := petstore_now();
  RETURN QUERY
  SELECT NULL::bigint, refused.id, refused.refusal, NULL::text, NULL::text, NULL::text
  FROM petstore_refused_callers(callers, now) AS refused;
  IF FOUND THEN
    RETURN;
  END IF;

  RETURN QUERY
  WITH new AS MATERIALIZED (
    SELECT * FROM ROWS FROM (
      json_to_recordset(batch) AS (name text, category_id bigint, status text, created_by bigint, key text, request text, words text)
    ) WITH ORDINALITY AS new (name, category_id, status, created_by, key, request, words, place)
  ), known AS MATERIALIZED (
    -- Looked up one by one: a plan made while the table was small must not read the whole table later.
    SELECT place, used.*
    FROM new CROSS JOIN LATERAL (
      SELECT operation, request, answer FROM idempotency_answers AS used
      WHERE used.key_id = new.created_by AND used.key = new.key LIMIT 1
    ) AS used
  ), unknown AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY place) AS turn FROM new WHERE place NOT IN (SELECT place FROM known)
  ), added AS (
    -- Ids are assigned in the order of the rows.
    INSERT INTO pets (name, category_id, status, created_at, created_by)
    SELECT name, category_id, status, now, created_by FROM unknown ORDER BY turn
    RETURNING id
  ), numbered AS (
    SELECT id, row_number() OVER (ORDER BY id) AS turn FROM added
  ), indexed AS (
    INSERT INTO search_pets (id, words) SELECT id, array_to_tsvector(string_to_array(words, ' ')) FROM unknown JOIN numbered USING (turn)
  ), emitted AS (
    INSERT INTO events (type, at, reached, key_id, pet_id, pet_status, pet)
    SELECT 'pet.added', now, CASE WHEN turn = 1 AND (now > (SELECT max(reached) FROM events)) IS NOT FALSE THEN now END,
           created_by, id, status, concat('{"name":', to_json(name), ',"categoryId":', category_id, '}')
    FROM unknown JOIN numbered USING (turn) ORDER BY turn
  ), kept AS (
    INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
    SELECT created_by, key, 'createPet', request, concat('{"id":', id, ',"name":', to_json(name), ',"categoryId":', category_id, ',"status":', '"', status, '"', '}'), now
    FROM unknown JOIN numbered USING (turn) WHERE key IS NOT NULL
  )
  SELECT place, numbered.id, NULL::text, NULL::text, NULL::text, NULL::text FROM unknown JOIN numbered USING (turn)
  UNION ALL
  SELECT place, NULL::bigint, NULL::text, operation, request, answer FROM known
  ORDER BY 1;
END $$;
