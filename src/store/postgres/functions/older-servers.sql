-- What servers of older schemas call, for as long as they run beside newer ones: what is called now, with what they do not send. They know
-- no newer column, which stays empty, or as its default has it, in what they add. The database's clock counts, and a key is a repeat for as
-- long as it is kept, whatever times they give.

CREATE OR REPLACE FUNCTION petstore_new_pet_json(name text, category_id bigint, status text) RETURNS text LANGUAGE sql STABLE
RETURN concat('{"name":', to_json(name), ',"categoryId":', category_id, ',"status":"', status, '"}');

-- Schemas 3 to 6, without a look at the API keys.
CREATE OR REPLACE FUNCTION petstore_add_pets(batch json, at bigint, kept_since bigint)
RETURNS TABLE (place bigint, id bigint, operation text, request text, answer text)
LANGUAGE sql AS $$
  SELECT place, id, operation, request, answer
  FROM petstore_add_pets('{}', (
    SELECT json_agg(new) FROM (
      SELECT name, category_id, status, created_by, key, coalesce(request, petstore_new_pet_json(name, category_id, status)) AS request
      FROM json_to_recordset(batch) AS pet (name text, category_id bigint, status text, created_by bigint, key text, request text)
    ) AS new))
$$;

-- Schema 2, whose servers send no requests. A key that was used for something else gives them a pet without a name, which is like none that
-- they can be asked for: they refuse it as another pet.
CREATE OR REPLACE FUNCTION petstore_create_pets(batch json, at bigint, kept_since bigint)
RETURNS TABLE (place bigint, id bigint, replayed boolean, name text, category_id bigint, status text)
LANGUAGE sql AS $$
  SELECT place, coalesce(id, (pet ->> 'id')::bigint, 0), answer IS NOT NULL,
         pet ->> 'name', (pet ->> 'categoryId')::bigint, pet ->> 'status'
  FROM petstore_add_pets(batch, at, kept_since),
       LATERAL (SELECT CASE operation WHEN 'createPet' THEN answer::json END AS pet) AS first
  ORDER BY place
$$;

-- Schemas 4 to 6, without a look at the API keys and the versions of orders.
CREATE OR REPLACE FUNCTION petstore_change_orders(
  ids bigint[], states text[], key_ids bigint[], placements json, used_at bigint, kept_since bigint) RETURNS SETOF petstore_outcome
LANGUAGE sql AS $$
  SELECT * FROM petstore_change_orders('{}', ids, states, key_ids, NULL, placements)
$$;

-- Schema 2: a create that waited for the migration writes its Idempotency-Key into a table that only stands here for it. Every server
-- answers 503 to this error.
CREATE OR REPLACE FUNCTION petstore_refuse_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'the schema has changed' USING ERRCODE = 'serialization_failure';
END $$;
CREATE OR REPLACE TRIGGER petstore_refuse_key BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION petstore_refuse_key();
