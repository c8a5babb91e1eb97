-- The feed of events, in the order of the commits. A pet that was added has no row here, because pets are in that order by their ids.
-- Every other event is a row that knows the last pet before it. With n, the number of such events up to and including it, its id is
-- after_pet + n; the id of the event of a pet is the pet's id + n of the last row before it (the last with a smaller after_pet). Both
-- rise in the order of the commits, and stay what they are, also when a pet is deleted.

CREATE TABLE events (
  id        INTEGER PRIMARY KEY,
  after_pet INTEGER NOT NULL,
  type      TEXT    NOT NULL,
  at        INTEGER NOT NULL,
  -- NULL where the service itself did it. Without foreign keys, as order_transitions.
  key_id    INTEGER,
  pet_id    INTEGER NOT NULL,
  order_id  INTEGER,
  -- The pet right after a correction of it, as the contract writes it.
  pet       TEXT
) STRICT;

-- The pets that were corrected or deleted, as they were added: in the words of the contract; when, and by which key.
CREATE TABLE changed_pets (
  pet_id INTEGER PRIMARY KEY,
  pet    TEXT    NOT NULL,
  at     INTEGER NOT NULL,
  key_id INTEGER NOT NULL
) STRICT;

-- Cursors of the feed belong to it: 48 random bits, other ones in every store and after a restore.
CREATE TABLE event_epoch (
  epoch INTEGER PRIMARY KEY
) STRICT;
INSERT INTO event_epoch VALUES (random() & 281474976710655);

-- What happened before. Times do not give the order of the commits where a clock was set back; so each order is placed after all before
-- it (`placed`), is moved after it was placed, and before its pet was ordered again (`next`).
INSERT INTO events (id, after_pet, type, at, key_id, pet_id, order_id)
WITH placings AS (
  SELECT orders.id, pet_id, max(at) OVER (ORDER BY orders.id) AS placed
  FROM orders JOIN order_transitions ON order_id = orders.id AND order_transitions.status = 'pending'
), ordered AS (
  SELECT *, lead(placed) OVER (PARTITION BY pet_id ORDER BY id) AS next FROM placings
), moves AS (
  SELECT order_id, pet_id, status, at, key_id,
    CASE status WHEN 'pending' THEN 0 WHEN 'returned' THEN 2 ELSE 1 END AS step,
    CASE status WHEN 'pending' THEN placed ELSE min(max(at, placed), ifnull(next, 9223372036854775807)) END AS turn
  FROM order_transitions JOIN ordered ON id = order_id
), placed_moves AS (
  SELECT *, max(turn) OVER (PARTITION BY order_id ORDER BY step) AS time FROM moves
), feed AS (
  SELECT order_id, status, at, key_id, pet_id, time, step, pet_id AS pet FROM placed_moves
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, NULL, max(created_at) OVER (ORDER BY id), 0, id FROM pets
), numbered AS (
  SELECT *,
    max(pet) OVER (ORDER BY time, order_id, step ROWS UNBOUNDED PRECEDING) AS after_pet,
    count(order_id) OVER (ORDER BY time, order_id, step ROWS UNBOUNDED PRECEDING) AS n
  FROM feed
)
SELECT after_pet + n, after_pet, 'order.' || iif(status = 'pending', 'placed', status), at, key_id, pet_id, order_id
FROM numbered WHERE order_id IS NOT NULL;

CREATE INDEX events_by_pet ON events (pet_id);
CREATE INDEX events_by_order ON events (order_id);

-- Whoever moves orders makes their events: also a server of a version before, which does not know the feed. An order comes into each
-- status once, so an event that is there already was copied with its transition from another store.
CREATE TRIGGER events_of_orders AFTER INSERT ON order_transitions
WHEN NOT EXISTS (SELECT 1 FROM events WHERE order_id = NEW.order_id AND type = 'order.' || iif(NEW.status = 'pending', 'placed', NEW.status))
BEGIN
  INSERT INTO events (id, after_pet, type, at, key_id, pet_id, order_id)
  SELECT last_pet + ifnull(n, 0) + 1, last_pet, 'order.' || iif(NEW.status = 'pending', 'placed', NEW.status), NEW.at,
    NEW.key_id, pet_id, NEW.order_id
  FROM (SELECT pet_id FROM orders WHERE id = NEW.order_id),
    (SELECT seq AS last_pet FROM sqlite_sequence WHERE name = 'pets'),
    (SELECT (SELECT id - after_pet FROM events ORDER BY id DESC LIMIT 1) AS n);
END;
