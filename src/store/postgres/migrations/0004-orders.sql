-- Orders, who moved them and when, and how many pets have each status. Times are milliseconds since 1970.

-- Nothing writes until the migration is committed: the inventory is counted here.
SELECT pg_advisory_xact_lock(1346720851, 1);

CREATE TABLE orders (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pet_id     bigint NOT NULL REFERENCES pets (id),
  status     text   NOT NULL CHECK (status IN ('pending', 'completed', 'cancelled', 'expired', 'returned')),
  reference  text,
  expires_at bigint,
  placed_at  bigint NOT NULL,
  changed_at bigint NOT NULL
);

-- At most one order holds a pet.
CREATE UNIQUE INDEX orders_that_hold ON orders (pet_id) WHERE status IN ('pending', 'completed');
CREATE INDEX orders_by_status ON orders (status, id);
CREATE INDEX orders_by_pet ON orders (pet_id, id);
CREATE INDEX orders_by_expiry ON orders (expires_at) WHERE status = 'pending' AND expires_at IS NOT NULL;

-- `key_id` is NULL where the service itself expired the order. Without foreign keys, because only the functions below write here,
-- and the two checks for each row would be a quarter of the time that it takes to place an order.
CREATE TABLE order_transitions (
  order_id bigint NOT NULL,
  status   text   NOT NULL,
  at       bigint NOT NULL,
  key_id   bigint,
  PRIMARY KEY (order_id, status)
);

CREATE TABLE inventory (
  status text   NOT NULL PRIMARY KEY,
  pets   bigint NOT NULL
);
INSERT INTO inventory
SELECT status, coalesce(n, 0)
FROM (VALUES ('available'), ('pending'), ('sold')) AS known (status)
LEFT JOIN (SELECT status, count(*) AS n FROM pets GROUP BY status) AS counted USING (status);

-- The inventory follows whatever writes pets, so that it is exact also while servers of the version before run, which know
-- nothing of it. With the owner's rights, because they have none on it; so a temporary table of the same name must not come first.
SELECT set_config('search_path', current_setting('search_path') || ', pg_temp', true);
CREATE FUNCTION petstore_count_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE inventory SET pets = pets + n
  FROM (SELECT status, count(*) AS n FROM added GROUP BY status) AS change WHERE change.status = inventory.status;
  RETURN NULL;
END $$;

CREATE FUNCTION petstore_count_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE inventory SET pets = pets + n
  FROM (
    SELECT status, sum(n) AS n
    FROM (SELECT status, 1 AS n FROM added UNION ALL SELECT status, -1 FROM removed) AS changes GROUP BY status
  ) AS change
  WHERE change.status = inventory.status AND n <> 0;
  RETURN NULL;
END $$;

CREATE TRIGGER petstore_count_added AFTER INSERT ON pets REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_count_added();
CREATE TRIGGER petstore_count_moved AFTER UPDATE ON pets REFERENCING NEW TABLE AS added OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_count_moved();

-- Whatever moves pets or places orders takes the lock that creates take: ids of orders become visible in their order, a
-- pet has the same status until the end of a statement as at its beginning, and there is no deadlock.
CREATE TRIGGER petstore_take_turns_to_move BEFORE UPDATE ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();
CREATE TRIGGER petstore_take_turns BEFORE INSERT ON orders
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();
CREATE TRIGGER petstore_commit_durably BEFORE INSERT OR UPDATE ON orders
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_commit_durably();

CREATE FUNCTION petstore_now() RETURNS bigint LANGUAGE sql VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- The plans of these functions are made once for each connection, maybe while the tables are empty. So they are kept from reading
-- whole tables and from comparing each row of a batch with each other one: rows are looked up one by one (LATERAL, LIMIT 1) or by
-- = ANY. To plan anew for each batch would take a third of the time. Before PostgreSQL 18 a plan that goes against enable_nestloop
-- counts as so dear that it would be compiled, for seconds: hence jit = off.

-- Moves each of the orders, and its pet, to the state named beside it, if it is in the state before that; others stay as they
-- are. Of an order that is there twice, the first counts. Gives those that were moved. The caller holds the lock.
CREATE FUNCTION petstore_move_orders(ids bigint[], states text[], key_ids bigint[], at bigint) RETURNS bigint[]
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_nestloop = off AS $$
DECLARE
  orders_moved bigint[];
  pets_moved bigint;
BEGIN
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT ON (id) * FROM unnest(ids, states, key_ids) WITH ORDINALITY AS asked (id, status, key_id, place) ORDER BY id, place
  ), moved AS (
    UPDATE orders SET status = asked.status, changed_at = at
    FROM asked
    WHERE orders.id = asked.id AND orders.id = ANY (ids)
      AND orders.status = CASE asked.status WHEN 'returned' THEN 'completed' ELSE 'pending' END
    RETURNING orders.id, pet_id, asked.status, key_id
  ), followed AS (
    UPDATE pets SET status = CASE moved.status WHEN 'completed' THEN 'sold' ELSE 'available' END
    FROM moved
    WHERE pets.id = moved.pet_id AND pets.id = ANY (ARRAY(SELECT pet_id FROM moved))
      AND pets.status = CASE moved.status WHEN 'returned' THEN 'sold' ELSE 'pending' END
    RETURNING 1
  ), kept AS (
    INSERT INTO order_transitions (order_id, status, at, key_id) SELECT id, status, at, key_id FROM moved
  )
  SELECT (SELECT coalesce(array_agg(id), '{}') FROM moved), (SELECT count(*) FROM followed) INTO orders_moved, pets_moved;
  IF cardinality(orders_moved) <> pets_moved THEN
    RAISE EXCEPTION 'the status of a pet does not agree with that of the order that holds it';
  END IF;
  RETURN orders_moved;
END $$;

-- Expires up to `most` overdue reservations, those that are overdue longest first. Gives which. Where somebody has changed the pet
-- by hand, nothing is done, so that all others expire.
CREATE FUNCTION petstore_expire_orders(most bigint) RETURNS TABLE (id bigint, pet_id bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  now bigint;
  due bigint[];
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  now := petstore_now();
  due := ARRAY(
    SELECT id FROM orders
    WHERE status = 'pending' AND expires_at <= now AND (SELECT status FROM pets WHERE pets.id = orders.pet_id) = 'pending'
    ORDER BY expires_at LIMIT most);
  PERFORM petstore_move_orders(due, array_fill('expired'::text, ARRAY[cardinality(due)]), '{}', now);
  RETURN QUERY SELECT id, pet_id FROM orders WHERE id = ANY (due);
END $$;

-- A row of the answer to a batch: the order as it is now; or, where `refusal` is there, the status of the pet and the order that holds
-- it, if any; or what an idempotency key gave before, in `operation`, `request` and `answer`. `place` counts from 1 in the batch, moves
-- before placements; it is 0 for a reservation that expired. `changed`: this call has brought the order into its status, so it is no repeat.
CREATE TYPE petstore_outcome AS (
  place bigint, changed boolean, refusal text, pet_status text, operation text, request text, answer text,
  id bigint, pet_id bigint, pet_name text, status text, reference text, expires_at bigint, placed_at bigint, changed_at bigint);

-- Places orders, in their order (an idempotency key may be there once). Gives a row for each, with the keys used after `kept_since`;
-- `used_at` is the time of use of those that are new. The caller holds the lock, and its settings hold here, too.
CREATE FUNCTION petstore_place_orders(
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
           CASE WHEN expires_at <= now OR expires_at > now + 366 * 86400000::bigint THEN 'invalid_order'
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
    INSERT INTO orders (pet_id, status, reference, expires_at, placed_at, changed_at)
    SELECT pet_id, 'pending', reference, expires_at, now, now FROM reserved ORDER BY turn
    RETURNING id, pet_id
  ), placed AS MATERIALIZED (
    SELECT * FROM reserved JOIN added USING (pet_id)
  ), kept AS (
    INSERT INTO order_transitions (order_id, status, at, key_id) SELECT id, 'pending', now, key_id FROM placed
  ), answered AS (
    INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
    SELECT key_id, key, 'placeOrder', request, petstore_placed_json(id, name, pet_id, reference, expires_at, now), used_at
    FROM placed WHERE key IS NOT NULL
    ON CONFLICT (key_id, key) DO UPDATE SET operation = excluded.operation, request = excluded.request,
      answer = excluded.answer, created_at = excluded.created_at
  )
  SELECT places_before + turn, true, NULL, NULL, NULL, NULL, NULL,
         id, pet_id, name, 'pending', reference, expires_at, now, now
  FROM placed
  UNION ALL
  SELECT places_before + turn, false, NULL, NULL, operation, request, answer, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM known
  UNION ALL
  -- Who comes second for a pet in this batch finds it held by the first.
  SELECT places_before + turn, false, coalesce(refusal, 'pet_not_available'), CASE WHEN refusal IS NULL THEN 'pending' ELSE pet_status END,
         NULL, NULL, NULL, coalesce(placed.id, holder.id), judged.pet_id, judged.name, NULL, NULL,
         coalesce(placed.expires_at, holder.expires_at), NULL, NULL
  FROM judged
  LEFT JOIN (SELECT id, pet_id, expires_at FROM placed) AS placed USING (pet_id)
  LEFT JOIN LATERAL (
    SELECT id, expires_at FROM orders WHERE orders.pet_id = judged.pet_id AND orders.status IN ('pending', 'completed') LIMIT 1
  ) AS holder ON true
  WHERE turn NOT IN (SELECT turn FROM placed);
END $$;

-- A batch: first moves of orders, each to the state named beside it, then placements. Overdue reservations of the same orders and pets
-- expire before. Gives a row for each reservation that expired, each move whose order exists, and each placement. The message in the
-- log makes the commit wait for the standby behind all that is told here, also when nothing was written.
CREATE FUNCTION petstore_change_orders(
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

-- A new order as it is kept under its idempotency key: JSON, times as numbers.
CREATE FUNCTION petstore_placed_json(id bigint, name text, pet_id bigint, reference text, expires_at bigint, placed_at bigint)
RETURNS text LANGUAGE sql STABLE
RETURN concat('{"id":', id, ',"petName":', to_json(name), ',"status":"pending","placedAt":', placed_at, ',"changedAt":', placed_at,
  ',"petId":', pet_id, ',"reference":' || to_json(reference), ',"expiresAt":' || expires_at, '}');
