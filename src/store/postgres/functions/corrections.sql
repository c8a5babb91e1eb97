-- What a correction of a pet or an order needs of the database (corrections.ts).

-- To be called first. Takes the lock that orders the commits, so that nothing that is read from now on can change. Gives the time, and why the
-- API key may no longer write, if so. The message in the log makes the commit wait for the standby behind all that is told, also when
-- nothing is written.
CREATE OR REPLACE FUNCTION petstore_begin_correction(caller bigint) RETURNS TABLE (now bigint, refusal text)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  PERFORM pg_logical_emit_message(true, 'petstore', '');
  now := petstore_now();
  refusal := (SELECT refused.refusal FROM petstore_refused_keys(ARRAY[caller], now) AS refused);
  RETURN NEXT;
END $$;

-- Expires the reservation that holds the pet, when its time is over. Gives it. The caller holds the lock.
CREATE OR REPLACE FUNCTION petstore_expire_holder(pet bigint, now bigint) RETURNS TABLE (id bigint, pet_id bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  due bigint[];
BEGIN
  due := ARRAY(SELECT id FROM orders WHERE pet_id = pet AND status = 'pending' AND expires_at <= now);
  IF due <> '{}' THEN
    RETURN QUERY
    SELECT id, pet FROM unnest(petstore_move_orders(due, array_fill('expired'::text, ARRAY[cardinality(due)]), '{}', now)) AS id;
  END IF;
END $$;

-- The caller holds the lock. With the owner's rights, as petstore_order_events.
SELECT set_config('search_path', regexp_replace(current_setting('search_path'), '(, pg_temp)?$', ', pg_temp'), true);

CREATE OR REPLACE FUNCTION petstore_add_event(type text, at bigint, key_id bigint, pet_id bigint, order_id bigint, pet text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  INSERT INTO events (id, after_pet, type, at, key_id, pet_id, order_id, pet)
  SELECT last_pet + coalesce((SELECT id - after_pet FROM events ORDER BY id DESC LIMIT 1), 0) + 1, last_pet, $1, $2, $3, $4, $5, $6
  FROM pg_sequence_last_value(pg_get_serial_sequence('pets', 'id')::regclass) AS last_pet
$$;
