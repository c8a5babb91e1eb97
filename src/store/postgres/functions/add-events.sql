-- Written by `npm run generate` from src/domain/order-moves.ts and scripts/sql-functions.ts; not edited by hand.

-- The rows of events (src/store/shared/events.ts), in their order. The caller holds the lock that orders the commits: ids are drawn under it,
-- so no event ever appears behind a reader.
CREATE OR REPLACE FUNCTION petstore_add_events(rows json) RETURNS void LANGUAGE sql AS $$
  INSERT INTO events (type, at, reached, key_id, pet_id, pet_status, pet, order_id, order_status)
  SELECT type, at, CASE WHEN (
      at > greatest(max(at) OVER (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), (SELECT max(reached) FROM events))
    ) IS NOT FALSE THEN at END, key_id, pet_id, pet_status, pet, order_id, order_status
  FROM ROWS FROM (
    json_to_recordset(rows) AS (
      type text, at bigint, key_id bigint, pet_id bigint, pet_status text, pet text, order_id bigint, order_status text)
  ) WITH ORDINALITY AS new (type, at, key_id, pet_id, pet_status, pet, order_id, order_status, place)
  ORDER BY place
$$;

-- Those of orders that were placed or moved, which came into these states. Gives the orders.
CREATE OR REPLACE FUNCTION petstore_add_order_events(
  order_ids bigint[], pet_ids bigint[], states text[], times bigint[], key_ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (type, at, reached, key_id, pet_id, pet_status, order_id, order_status)
  SELECT 'order.' || CASE status WHEN 'pending' THEN 'placed' ELSE status END, at, CASE WHEN (
      at > greatest(max(at) OVER (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), (SELECT max(reached) FROM events))
    ) IS NOT FALSE THEN at END, key_id,
         pet_id, CASE status WHEN 'pending' THEN 'pending' WHEN 'completed' THEN 'sold' WHEN 'cancelled' THEN 'available' WHEN 'expired' THEN 'available' WHEN 'returned' THEN 'available' END, order_id, status
  FROM (
    SELECT *, row_number() OVER (ORDER BY order_id) AS place
    FROM unnest(order_ids, pet_ids, states, times, key_ids) AS moved (order_id, pet_id, status, at, key_id)
  ) AS moved
  ORDER BY place;
  RETURN coalesce(order_ids, '{}');
END $$;
