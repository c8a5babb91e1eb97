-- Written by `npm run generate` from src/store/shared/order-columns.ts and scripts/sql-functions.ts; not edited by hand.

-- Places orders, in their order (an idempotency key may be there once). Gives a row for each, with the keys used after `kept_since`;
-- `used_at` is the time of use of those that are new. The caller holds the lock, and its settings hold here, too.
CREATE OR REPLACE FUNCTION petstore_place_orders(
  placements json, places_before bigint, now bigint, used_at bigint, kept_since bigint) RETURNS SETOF petstore_outcome
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH new AS MATERIALIZED (
    SELECT * FROM ROWS FROM (
      json_to_recordset(placements) AS (pet_id bigint, reference text, expires_at bigint, key_id bigint, key text, request text)
    ) WITH ORDINALITY AS new (pet_id, reference, expires_at, key_id, key, request, turn)
  ), known AS MATERIALIZED (
    SELECT turn, used.*
    FROM new JOIN LATERAL (
      SELECT operation, request, answer, created_at FROM idempotency_answers AS used
      WHERE used.key_id = new.key_id AND used.key = new.key LIMIT 1
    ) AS used ON used.created_at > kept_since
  ), judged AS MATERIALIZED (
    SELECT new.*, pet.name, pet.status AS pet_status,
           CASE WHEN expires_at <= now OR expires_at > now + 31622400000 THEN 'invalid_order'
                WHEN pet.status IS NULL THEN 'pet_not_found'
                WHEN pet.status <> 'available' THEN 'pet_not_available' END AS refusal
    FROM new LEFT JOIN LATERAL (SELECT name, status FROM pets WHERE pets.id = new.pet_id LIMIT 1) AS pet ON true
    WHERE turn NOT IN (SELECT turn FROM known)
  ), first AS MATERIALIZED (
    SELECT DISTINCT ON (pet_id) * FROM judged WHERE refusal IS NULL ORDER BY pet_id, turn
  ), reserved AS (
    UPDATE pets SET status = 'pending' FROM first
    WHERE pets.id = first.pet_id AND pets.id = ANY (ARRAY(SELECT pet_id FROM first)) AND pets.status = 'available'
    RETURNING first.*
  ), added AS (
    -- Ids are taken in the order of the rows.
    INSERT INTO orders (pet_id, reference, expires_at, status, placed_at, changed_at)
    SELECT pet_id, reference, expires_at, 'pending', now, now FROM reserved ORDER BY turn
    RETURNING id, pet_id
  ), placed AS MATERIALIZED (
    SELECT *, name AS pet_name, 'pending' AS status, now AS placed_at, now AS changed_at
    FROM reserved JOIN added USING (pet_id)
  ), answered AS (
    INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
    SELECT key_id, key, 'placeOrder', request, concat('{"id":', id, ',"petId":', pet_id, ',"petName":', to_json(pet_name), ',"status":', '"', status, '"', ',"placedAt":', placed_at, ',"changedAt":', changed_at, CASE WHEN reference IS NULL THEN '' ELSE concat(',"reference":', to_json(reference)) END, CASE WHEN expires_at IS NULL THEN '' ELSE concat(',"expiresAt":', expires_at) END, '}'), used_at
    FROM placed WHERE key IS NOT NULL
    ON CONFLICT (key_id, key) DO UPDATE SET operation = excluded.operation, request = excluded.request,
      answer = excluded.answer, created_at = excluded.created_at
  )
  SELECT places_before + turn, true, NULL, NULL, NULL, NULL, NULL, id, pet_id, pet_name, status, reference, expires_at, placed_at, changed_at FROM placed
  -- Once for all of them.
  WHERE cardinality((
    SELECT petstore_add_order_events(array_agg(id), array_agg(pet_id), array_agg(status), array_agg(placed_at), array_agg(key_id)) FROM placed
  )) > 0
  UNION ALL
  SELECT places_before + turn, false, NULL, NULL, operation, request, answer, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM known
  UNION ALL
  -- Who comes second for a pet in this batch finds it held by the first.
  SELECT places_before + turn, false, coalesce(refusal, 'pet_not_available'), CASE WHEN refusal IS NULL THEN 'pending' ELSE pet_status END,
         NULL, NULL, NULL, coalesce(placed.id, holder.id), judged.pet_id, judged.name, NULL, NULL, coalesce(placed.expires_at, holder.expires_at), NULL, NULL
  FROM judged
  LEFT JOIN (SELECT id, pet_id, expires_at FROM placed) AS placed USING (pet_id)
  LEFT JOIN LATERAL (
    SELECT id, expires_at FROM orders WHERE orders.pet_id = judged.pet_id AND orders.status IN ('pending', 'completed') LIMIT 1
  ) AS holder ON true
  WHERE turn NOT IN (SELECT turn FROM placed);
END $$;
