-- The feed of events, in the order of the commits. A pet that was added has no row here, because pets are in that order by their ids.
-- Every other event is a row that knows the last pet before it. With n, the number of such events up to and including it, its id is
-- after_pet + n; the id of the event of a pet is the pet's id + n of the last row before it (the last with a smaller after_pet). Both
-- rise in the order of the commits, and stay what they are, also when a pet is deleted.

CREATE TABLE events (
  id        bigint NOT NULL PRIMARY KEY,
  after_pet bigint NOT NULL,
  type      text   NOT NULL,
  at        bigint NOT NULL,
  -- NULL where the service itself did it. Without foreign keys, as order_transitions.
  key_id    bigint,
  pet_id    bigint NOT NULL,
  order_id  bigint,
  -- The pet right after a correction of it, as the contract writes it.
  pet       text
);

-- The pets that were corrected or deleted, as they were added: in the words of the contract; when, and by which key.
CREATE TABLE changed_pets (
  pet_id bigint NOT NULL PRIMARY KEY,
  pet    text   NOT NULL,
  at     bigint NOT NULL,
  key_id bigint NOT NULL
);

-- Cursors of the feed belong to it: 48 random bits, other ones in every store and after a restore.
CREATE TABLE event_epoch (
  epoch bigint NOT NULL PRIMARY KEY
);
INSERT INTO event_epoch VALUES (('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint);

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
    CASE status WHEN 'pending' THEN placed ELSE least(greatest(at, placed), next) END AS turn
  FROM order_transitions JOIN ordered ON id = order_id
), placed_moves AS (
  SELECT *, max(turn) OVER (PARTITION BY order_id ORDER BY step) AS time FROM moves
), feed AS (
  SELECT order_id, status, at, key_id, pet_id, time, step, pet_id AS pet FROM placed_moves
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, NULL, max(created_at) OVER (ORDER BY id), 0, id FROM pets
), numbered AS (
  SELECT *,
    max(pet) OVER (ORDER BY time, order_id NULLS FIRST, step ROWS UNBOUNDED PRECEDING) AS after_pet,
    count(order_id) OVER (ORDER BY time, order_id NULLS FIRST, step ROWS UNBOUNDED PRECEDING) AS n
  FROM feed
)
SELECT after_pet + n, after_pet, 'order.' || CASE status WHEN 'pending' THEN 'placed' ELSE status END, at, key_id, pet_id, order_id
FROM numbered WHERE order_id IS NOT NULL;

CREATE INDEX events_by_pet ON events (pet_id, id);
CREATE INDEX events_by_order ON events (order_id, id);
