-- What a write asks once more inside its transaction. The functions that servers of the version before call stay as they are.

-- Those API keys that may no longer write, and why.
CREATE FUNCTION petstore_refused_keys(callers bigint[], now bigint) RETURNS TABLE (id bigint, refusal text) LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT caller, CASE WHEN keys.id IS NULL THEN 'unknown' WHEN revoked_at IS NULL THEN 'expired' ELSE 'revoked' END
  FROM unnest(callers) AS caller LEFT JOIN keys ON keys.id = caller
  WHERE keys.id IS NULL OR revoked_at IS NOT NULL OR expires_at <= now;
END;

-- As the function of the same name, but the database's clock dates what is added, an Idempotency-Key counts for as long as it is kept,
-- and nothing is done where one of the `callers`, the API keys of the batch, is refused: then rows without a place give these. Their
-- expiry is judged by the database's clock, too, because that of a server was read before the call had to wait.
CREATE FUNCTION petstore_add_pets(callers bigint[], batch json)
RETURNS TABLE (place bigint, id bigint, refusal text, operation text, request text, answer text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  RETURN QUERY
  SELECT NULL::bigint, refused.id, refused.refusal, NULL::text, NULL::text, NULL::text
  FROM petstore_refused_keys(callers, petstore_now()) AS refused;
  IF NOT FOUND THEN
    RETURN QUERY
    SELECT added.place, added.id, NULL::text, added.operation, added.request, added.answer
    FROM petstore_add_pets(batch, petstore_now(), 0) AS added;
  END IF;
END $$;

-- Which versions of its rows an order is made of: another one after every change of the order or of its pet.
CREATE FUNCTION petstore_order_version(order_id bigint) RETURNS text LANGUAGE sql STABLE
RETURN (SELECT concat(orders.xmin, ' ', pets.xmin) FROM orders JOIN pets ON pets.id = pet_id WHERE orders.id = order_id);

-- As the function of the same name, but an order beside which a version stands is moved only if it still has it. The rest as above.
CREATE FUNCTION petstore_change_orders(
  callers bigint[], ids bigint[], states text[], key_ids bigint[], versions text[], placements json) RETURNS SETOF petstore_outcome
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  RETURN QUERY
  SELECT NULL::bigint, false, refusal, NULL::text, NULL::text, NULL::text, NULL::text,
         id, NULL::bigint, NULL::text, NULL::text, NULL::text, NULL::bigint, NULL::bigint, NULL::bigint
  FROM petstore_refused_keys(callers, petstore_now());
  IF FOUND THEN
    RETURN;
  END IF;
  IF versions IS NOT NULL THEN
    states := ARRAY(
      SELECT CASE WHEN coalesce(version = petstore_order_version(id), version IS NULL) THEN status END
      FROM unnest(ids, states, versions) WITH ORDINALITY AS asked (id, status, version, place) ORDER BY place);
  END IF;
  RETURN QUERY SELECT * FROM petstore_change_orders(ids, states, key_ids, placements, petstore_now(), 0);
END $$;

-- A create of a server of schema 2 that waits for the migration goes on in the function of before, which knows the table of before. In
-- place of the view there is now an empty table: without an Idempotency-Key such a create succeeds, and with one it fails with an error
-- to which every server answers 503. To an INSERT into the view the first servers answered 500.
DROP VIEW idempotency_keys;
DROP FUNCTION petstore_forget_nothing();
CREATE TABLE idempotency_keys (pet_id bigint, key_id bigint, key text, created_at bigint, PRIMARY KEY (key_id, key));
CREATE FUNCTION petstore_refuse_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'the schema has changed' USING ERRCODE = 'serialization_failure';
END $$;
CREATE TRIGGER petstore_refuse_key BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION petstore_refuse_key();
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO PUBLIC;
