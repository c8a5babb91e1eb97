-- The events of orders, made from their transitions: whoever moves orders makes them, also a server of a version before, which does not know
-- the feed. Their numbers are drawn under the lock that orders the commits, so none ever appears behind a reader. An order comes into each
-- status once, so an event that is there already was copied with its transition from another store. With the owner's rights, because older
-- servers have none on the feed; so a temporary table of the same name must not come first.
SELECT set_config('search_path', regexp_replace(current_setting('search_path'), '(, pg_temp)?$', ', pg_temp'), true);

CREATE OR REPLACE FUNCTION petstore_order_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  last_pet bigint;
  n bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  last_pet := pg_sequence_last_value(pg_get_serial_sequence('pets', 'id')::regclass);
  n := (SELECT id - after_pet FROM events ORDER BY id DESC LIMIT 1);
  INSERT INTO events (id, after_pet, type, at, key_id, pet_id, order_id)
  SELECT last_pet + coalesce(n, 0) + row_number() OVER (ORDER BY order_id, step), last_pet, type, at, key_id, pet_id, order_id
  FROM (
    SELECT *, 'order.' || CASE status WHEN 'pending' THEN 'placed' ELSE status END AS type,
           CASE status WHEN 'pending' THEN 0 WHEN 'returned' THEN 2 ELSE 1 END AS step,
           (SELECT pet_id FROM orders WHERE orders.id = added.order_id) AS pet_id
    FROM added
  ) AS moved
  WHERE pet_id IS NOT NULL AND (SELECT id FROM events WHERE events.order_id = moved.order_id AND events.type = moved.type) IS NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER petstore_order_events AFTER INSERT ON order_transitions REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_order_events();
