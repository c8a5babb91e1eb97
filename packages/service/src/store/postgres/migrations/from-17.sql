-- The step from schema 17, that of commit 60c4a71, to that of 1.0.0 (0021-schema.sql): the feed of events and the index of search become tables that the
-- service itself writes. It belongs to the transaction of from-17.ts, which indexes the rows.

-- Servers of schema 17 change orders and pets by these. They cannot any more: also a call of theirs that waits for this step goes on with
-- functions that are gone. Those that stay keep the rights on them.
DO $$
DECLARE
  gone text;
BEGIN
  FOREACH gone IN ARRAY ARRAY(
    SELECT oid::regprocedure::text FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND starts_with(proname, 'petstore_') AND proname NOT IN (
      'petstore_now', 'petstore_take_turns', 'petstore_commit_durably', 'petstore_count_added', 'petstore_count_moved', 'petstore_count_removed'
    ) AND oid IS DISTINCT FROM to_regprocedure('petstore_add_pets(bigint[], json)')
  ) LOOP
    EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', gone);
  END LOOP;
END $$;
DROP TYPE petstore_outcome;
DROP VIEW order_transitions;
DROP TABLE idempotency_keys, search_terms, search_segments, search_changes;

-- Every event is a row with what it tells, that of a pet that was added, too. An event keeps its id: the row of a change has its own, and a pet
-- that was added has its id plus the number of changes before it, which the last of these tells.
CREATE INDEX old_events_by_place ON old_events (after_pet, id);

INSERT INTO events (id, type, at, reached, key_id, pet_id, pet_status, pet, order_id, order_status) OVERRIDING SYSTEM VALUE
SELECT id, type, at,
  CASE WHEN (at > max(at) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) IS NOT FALSE THEN at END,
  key_id, pet_id, pet_status, pet, order_id, order_status
FROM (
  SELECT pet_id + coalesce((
      SELECT id - after_pet FROM old_events WHERE after_pet < added.pet_id ORDER BY after_pet DESC, id DESC LIMIT 1
    ), 0) AS id,
    'pet.added' AS type, at, key_id, pet_id, pet_status, pet, NULL::bigint AS order_id, NULL::text AS order_status
  FROM (
    -- A pet became pending or sold by orders alone, unless it was added so.
    SELECT id AS pet_id, created_at AS at, created_by AS key_id,
      CASE WHEN status <> 'available' AND EXISTS (SELECT FROM orders WHERE orders.pet_id = pets.id) THEN 'available' ELSE status END
        AS pet_status,
      concat('{"name":', to_json(name), ',"categoryId":', category_id, '}') AS pet
    FROM pets WHERE NOT EXISTS (SELECT FROM changed_pets WHERE changed_pets.pet_id = pets.id)
    UNION ALL
    SELECT pet_id, at, key_id, pet::json ->> 'status',
      concat('{"name":', pet::json -> 'name', ',"categoryId":', pet::json -> 'categoryId', '}') FROM changed_pets
  ) AS added
  UNION ALL
  SELECT id, type, at, key_id, pet_id, coalesce(pet::json ->> 'status', CASE order_status
      WHEN 'pending' THEN 'pending' WHEN 'completed' THEN 'sold' WHEN 'cancelled' THEN 'available'
      WHEN 'expired' THEN 'available' WHEN 'returned' THEN 'available' END),
    CASE WHEN pet IS NOT NULL
      THEN concat('{"name":', pet::json -> 'name', ',"categoryId":', pet::json -> 'categoryId', '}') END, order_id, order_status
  FROM (
    SELECT *, CASE WHEN order_id IS NOT NULL THEN
      CASE WHEN type IN ('order.placed', 'order.changed') THEN 'pending' ELSE substr(type, length('order.') + 1) END END AS order_status
    FROM old_events
  ) AS changes
) AS numbered
ORDER BY id;

-- The next one gets the id that it would have had.
SELECT setval(pg_get_serial_sequence('events', 'id'), last, last > 0)
FROM (
  SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('pets', 'id')::regclass), 0)
    + coalesce((SELECT id - after_pet FROM old_events ORDER BY id DESC LIMIT 1), 0) AS last
) AS ids WHERE last > 0;

DROP TABLE old_events, changed_pets;
