-- Every event is a row with what it tells, that of a pet that was added, too. An event keeps its id: the row of a change has its own, and a pet
-- that was added has its id plus the number of changes before it, which the last of these tells (0009-events.sql).

DROP VIEW order_transitions;
ALTER TABLE events RENAME TO old_events;
CREATE INDEX old_events_by_place ON old_events (after_pet, id);

CREATE TABLE events (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  type         TEXT    NOT NULL,
  at           INTEGER NOT NULL,
  -- `at`, where no event before is as late. Times do not follow the ids where a clock was set back; these do.
  reached      INTEGER,
  -- NULL where the service itself did it.
  key_id       INTEGER,
  pet_id       INTEGER NOT NULL,
  -- The status of the pet right after it, and the rest of the pet as JSON, where it was added or corrected.
  pet_status   TEXT,
  pet          TEXT,
  order_id     INTEGER,
  order_status TEXT
) STRICT;

INSERT INTO events (id, type, at, reached, key_id, pet_id, pet_status, pet, order_id, order_status)
SELECT id, type, at,
  iif(ifnull(at > max(at) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true), at, NULL),
  key_id, pet_id, pet_status, pet, order_id, order_status
FROM (
  SELECT pet_id + ifnull((
      SELECT id - after_pet FROM old_events WHERE after_pet < added.pet_id ORDER BY after_pet DESC, id DESC LIMIT 1
    ), 0) AS id,
    'pet.added' AS type, at, key_id, pet_id, pet_status, pet, NULL AS order_id, NULL AS order_status
  FROM (
    -- A pet became pending or sold by orders alone, unless it was added so.
    SELECT id AS pet_id, created_at AS at, created_by AS key_id,
      iif(status <> 'available' AND EXISTS (SELECT 1 FROM orders WHERE orders.pet_id = pets.id), 'available', status) AS pet_status,
      concat('{"name":', json_quote(name), ',"categoryId":', category_id, '}') AS pet
    FROM pets WHERE id NOT IN (SELECT pet_id FROM changed_pets)
    UNION ALL
    SELECT pet_id, at, key_id, pet ->> 'status', json_remove(pet, '$.id', '$.status') FROM changed_pets
  ) AS added
  UNION ALL
  SELECT id, type, at, key_id, pet_id, coalesce(pet ->> 'status', CASE order_status
      WHEN 'pending' THEN 'pending' WHEN 'completed' THEN 'sold' WHEN 'cancelled' THEN 'available'
      WHEN 'expired' THEN 'available' WHEN 'returned' THEN 'available' END),
    json_remove(pet, '$.id', '$.status'), order_id, order_status
  FROM (
    SELECT *, CASE WHEN order_id IS NOT NULL
      THEN iif(type IN ('order.placed', 'order.changed'), 'pending', substr(type, length('order.') + 1)) END AS order_status
    FROM old_events
  ) AS changes
)
ORDER BY id;

-- The next one gets the id that it would have had.
DELETE FROM sqlite_sequence WHERE name = 'events';
INSERT INTO sqlite_sequence (name, seq) SELECT 'events',
  ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0) + ifnull((SELECT id - after_pet FROM old_events ORDER BY id DESC LIMIT 1), 0);

DROP TABLE old_events;
DROP TABLE changed_pets;

CREATE INDEX events_by_pet ON events (pet_id);
CREATE INDEX events_by_order ON events (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX events_by_type ON events (type);
CREATE INDEX events_by_time ON events (reached) WHERE reached IS NOT NULL;
