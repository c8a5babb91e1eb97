-- Written by `npm run generate` from src/domain/order-moves.ts and scripts/sql-functions.ts; not edited by hand.

-- Moves each of the orders, and its pet, to the state named beside it, if it is in the state before that; others stay as they
-- are, and a state that is NULL moves nothing. Of an order that is there twice, the first counts. A clock that was set back dates no
-- change before the one that it follows. Gives those that were moved. The caller holds the lock.
CREATE OR REPLACE FUNCTION petstore_move_orders(ids bigint[], states text[], key_ids bigint[], at bigint) RETURNS bigint[]
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_nestloop = off AS $$
DECLARE
  orders_moved bigint[];
  pets_moved bigint;
BEGIN
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT ON (id) * FROM unnest(ids, states, key_ids) WITH ORDINALITY AS asked (id, status, key_id, place)
    WHERE status IS NOT NULL ORDER BY id, place
  ), moved AS (
    UPDATE orders SET status = asked.status, changed_at = greatest(at, changed_at)
    FROM asked
    WHERE orders.id = asked.id AND orders.id = ANY (ids)
      AND orders.status = CASE asked.status WHEN 'completed' THEN 'pending' WHEN 'cancelled' THEN 'pending' WHEN 'expired' THEN 'pending' WHEN 'returned' THEN 'completed' END
    RETURNING orders.id, pet_id, asked.status, changed_at, key_id
  ), followed AS (
    UPDATE pets SET status = CASE asked.status WHEN 'completed' THEN 'sold' WHEN 'cancelled' THEN 'available' WHEN 'expired' THEN 'available' WHEN 'returned' THEN 'available' END
    FROM moved AS asked
    WHERE pets.id = asked.pet_id AND pets.id = ANY (ARRAY(SELECT pet_id FROM moved))
      AND pets.status = CASE asked.status WHEN 'completed' THEN 'pending' WHEN 'cancelled' THEN 'pending' WHEN 'expired' THEN 'pending' WHEN 'returned' THEN 'sold' END
    RETURNING 1
  )
  SELECT petstore_add_order_events(array_agg(id), array_agg(pet_id), array_agg(status), array_agg(changed_at), array_agg(key_id)),
         (SELECT count(*) FROM followed)
  FROM moved INTO orders_moved, pets_moved;
  IF cardinality(orders_moved) <> pets_moved THEN
    RAISE EXCEPTION 'the status of a pet does not agree with that of the order that holds it';
  END IF;
  RETURN orders_moved;
END $$;
