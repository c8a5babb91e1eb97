-- Which versions of its rows an order is made of: another one after every change of the order or of its pet.
CREATE OR REPLACE FUNCTION petstore_order_version(order_id bigint) RETURNS text LANGUAGE sql STABLE
RETURN (SELECT concat(orders.xmin, ' ', pets.xmin) FROM orders JOIN pets ON pets.id = pet_id WHERE orders.id = order_id);

-- A batch of orders: first moves, each to the state named beside it, then placements. An order beside which a version stands is moved only if
-- it still has it. Overdue reservations of the same orders and pets expire before. The message in the log makes the commit wait for the
-- standby behind all that is told here, also when nothing was written.
--
-- Gives a row for each reservation that expired, each move whose order exists, and each placement: the order as it is now; or, where
-- `refusal` is there, the status of the pet and the order that holds it, if any; or what an idempotency key gave before, in `operation`,
-- `request` and `answer`. `place` counts from 1 in the batch, moves before placements; it is 0 for a reservation that expired. `changed`:
-- this call has brought the order into its status, so it is no repeat.
-- Nothing is done where one of the `callers`, the API keys of the batch, is refused: then rows without a place give these. Their expiry
-- is judged by the database's clock, because that of a server was read before the call had to wait.
--
-- The plans of the functions that write are made once for each connection, maybe while the tables are empty. So they are kept from reading
-- whole tables and from comparing each row of a batch with each other one: rows are looked up one by one (LATERAL, LIMIT 1) or by
-- = ANY. To plan anew for each batch would take a third of the time. Before PostgreSQL 18 a plan that goes against enable_nestloop
-- counts as so dear that it would be compiled, for seconds: hence jit = off.
CREATE OR REPLACE FUNCTION petstore_change_orders(
  callers bigint[], ids bigint[], states text[], key_ids bigint[], versions text[], placements json) RETURNS SETOF petstore_outcome
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_nestloop = off AS $$
DECLARE
  now bigint;
  due bigint[];
  moved bigint[];
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  PERFORM pg_logical_emit_message(true, 'petstore', '');
  now := petstore_now();
  RETURN QUERY
  SELECT NULL::bigint, false, refusal, NULL::text, NULL::text, NULL::text, NULL::text,
         id, NULL::bigint, NULL::text, NULL::text, NULL::text, NULL::bigint, NULL::bigint, NULL::bigint
  FROM petstore_refused_keys(callers, now);
  IF FOUND THEN
    RETURN;
  END IF;

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

  IF versions IS NOT NULL THEN
    states := ARRAY(
      SELECT CASE WHEN coalesce(version = petstore_order_version(id), version IS NULL) THEN status END
      FROM unnest(ids, states, versions) WITH ORDINALITY AS asked (id, status, version, place) ORDER BY place);
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
    RETURN QUERY SELECT * FROM petstore_place_orders(placements, cardinality(ids), now, now, 0);
  END IF;
END $$;
