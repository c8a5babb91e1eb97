-- The events of orders that are placed or moved: a row of `events` for each. With the owner's rights, because servers have none to write there; so
-- a temporary table of the same name must not come first.
SELECT set_config('search_path', regexp_replace(current_setting('search_path'), '(, pg_temp)?$', ', pg_temp'), true);

-- Gives the orders. The caller holds the lock that orders the commits: numbers are drawn under it, so no event ever appears behind a reader.
CREATE OR REPLACE FUNCTION petstore_add_order_events(
  order_ids bigint[], pet_ids bigint[], states text[], times bigint[], key_ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  last_pet bigint;
  n bigint;
BEGIN
  last_pet := pg_sequence_last_value(pg_get_serial_sequence('pets', 'id')::regclass);
  n := coalesce((SELECT id - after_pet FROM events ORDER BY id DESC LIMIT 1), 0);
  INSERT INTO events (id, after_pet, type, at, key_id, pet_id, order_id)
  SELECT last_pet + n + row_number() OVER (ORDER BY order_id), last_pet,
         'order.' || CASE status WHEN 'pending' THEN 'placed' ELSE status END, at, key_id, pet_id, order_id
  FROM unnest(order_ids, pet_ids, states, times, key_ids) AS moved (order_id, pet_id, status, at, key_id);
  RETURN coalesce(order_ids, '{}');
END $$;

-- For whoever moves orders by plain SQL.
CREATE OR REPLACE FUNCTION petstore_add_transition() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  PERFORM petstore_add_order_events(ARRAY[id], ARRAY[pet_id], ARRAY[NEW.status], ARRAY[NEW.at], ARRAY[NEW.key_id])
  FROM orders WHERE id = NEW.order_id;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER petstore_add_transition INSTEAD OF INSERT ON order_transitions
  FOR EACH ROW EXECUTE FUNCTION petstore_add_transition();
