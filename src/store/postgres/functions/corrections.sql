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
