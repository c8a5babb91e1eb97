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

-- `key_id` is NULL where the service itself expired the order. Without foreign keys, because only functions/ write here,
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

-- A row of the answer to a batch: the order as it is now; or, where `refusal` is there, the status of the pet and the order that holds
-- it, if any; or what an idempotency key gave before, in `operation`, `request` and `answer`. `place` counts from 1 in the batch, moves
-- before placements; it is 0 for a reservation that expired. `changed`: this call has brought the order into its status, so it is no repeat.
CREATE TYPE petstore_outcome AS (
  place bigint, changed boolean, refusal text, pet_status text, operation text, request text, answer text,
  id bigint, pet_id bigint, pet_name text, status text, reference text, expires_at bigint, placed_at bigint, changed_at bigint);
