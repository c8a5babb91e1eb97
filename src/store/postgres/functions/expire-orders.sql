-- Expires up to `most` overdue reservations, those that are overdue longest first. Gives which. Where somebody has changed the pet
-- by hand, nothing is done, so that all others expire. The lock is taken only where a reservation is overdue. The index gives the order:
-- without these settings each call would read and sort all that are overdue.
CREATE OR REPLACE FUNCTION petstore_expire_orders(most bigint) RETURNS TABLE (id bigint, pet_id bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
  now bigint := petstore_now();
  due bigint[];
BEGIN
  IF NOT EXISTS (SELECT FROM orders WHERE status = 'pending' AND expires_at <= now) THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  now := petstore_now();
  due := ARRAY(
    SELECT id FROM orders
    WHERE status = 'pending' AND expires_at <= now AND (SELECT status FROM pets WHERE pets.id = orders.pet_id) = 'pending'
    ORDER BY expires_at LIMIT most);
  PERFORM petstore_move_orders(due, array_fill('expired'::text, ARRAY[cardinality(due)]), '{}', now);
  RETURN QUERY SELECT id, pet_id FROM orders WHERE id = ANY (due);
END $$;
