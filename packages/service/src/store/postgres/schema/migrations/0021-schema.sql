-- The schema of 1.0.0, which a new database gets; functions and triggers are in functions/. Later versions change it
-- with migrations (schema.ts). Times are milliseconds since 1970.

CREATE TABLE keys (
  id           bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name         text    NOT NULL,
  hash         text    NOT NULL UNIQUE,
  read_only    boolean NOT NULL,
  created_at   bigint  NOT NULL,
  expires_at   bigint,
  revoked_at   bigint,
  -- Help people to tell keys apart: the last four characters, and the time of last use. NULL until the key is used.
  ending       text,
  last_used_at bigint
);

CREATE TABLE deprecated_calls (
  key_id       bigint NOT NULL REFERENCES keys (id),
  operation_id text   NOT NULL,
  calls        bigint NOT NULL,
  last_at      bigint NOT NULL,
  PRIMARY KEY (key_id, operation_id)
);

CREATE TABLE pets (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        text   NOT NULL,
  category_id bigint NOT NULL,
  status      text   NOT NULL,
  created_at  bigint NOT NULL,
  created_by  bigint NOT NULL REFERENCES keys (id)
);

CREATE INDEX pets_by_status ON pets (status, id);
-- For lists of a category, with one status or all: a walk for each status ends at the size of a page.
CREATE INDEX pets_by_category ON pets (category_id, status, id);

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

-- How many pets have each status (functions/count-inventory.sql).
CREATE TABLE inventory (
  status text   NOT NULL PRIMARY KEY,
  pets   bigint NOT NULL
);
INSERT INTO inventory VALUES ('available', 0), ('pending', 0), ('sold', 0);

-- The feed of events. Each row is written in the transaction of its change. No foreign keys, because only the service
-- writes here, and checking each row would be expensive.
CREATE TABLE events (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type         text   NOT NULL,
  at           bigint NOT NULL,
  -- `at` if no earlier event has a time as late, otherwise NULL. Unlike `at`, it increases with the ids even if a
  -- clock is set back.
  reached      bigint,
  -- NULL if the service itself made the change.
  key_id       bigint,
  pet_id       bigint NOT NULL,
  -- The pet's status right after the event, and, if it was added or corrected, its other fields as JSON.
  pet_status   text,
  pet          text,
  order_id     bigint,
  order_status text
);

CREATE INDEX events_by_pet ON events (pet_id, id);
CREATE INDEX events_by_order ON events (order_id, id) WHERE order_id IS NOT NULL;
CREATE INDEX events_by_type ON events (type, id);
CREATE INDEX events_by_time ON events (reached, id) WHERE reached IS NOT NULL;

-- 48 random bits, different in every store and after a restore, so that cursors of the feed are valid in one store
-- only.
CREATE TABLE event_epoch (
  epoch bigint NOT NULL PRIMARY KEY
);
INSERT INTO event_epoch VALUES (('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint);

-- The first answer for each Idempotency-Key, with its request and operation, as JSON without spaces and with members
-- in the contract's order. A later request is the same if its `request` is equal.
CREATE TABLE idempotency_answers (
  key_id     bigint NOT NULL REFERENCES keys (id),
  key        text   NOT NULL,
  created_at bigint NOT NULL,
  operation  text   NOT NULL,
  request    text   NOT NULL,
  answer     text   NOT NULL,
  PRIMARY KEY (key_id, key)
);

CREATE INDEX idempotency_answers_by_time ON idempotency_answers (created_at);

-- Search with GIN: the words of each list's rows (packages/service/src/domain/words.ts), updated in the transaction
-- that changes a name or a reference. They are not copied to another store, which builds its own. Separate tables,
-- because otherwise each change of a status would write the index again.
--
-- New words collect in a list that moves into the index at 64 kB, PostgreSQL's minimum. That is cheaper than indexing
-- each word immediately, and the transaction that fills the list delays others by only a few milliseconds.
CREATE TABLE search_pets (
  id    bigint   NOT NULL PRIMARY KEY,
  words tsvector NOT NULL
);
CREATE INDEX search_pets_by_word ON search_pets USING gin (words) WITH (gin_pending_list_limit = 64);

CREATE TABLE search_orders (
  id    bigint   NOT NULL PRIMARY KEY,
  words tsvector NOT NULL
);
CREATE INDEX search_orders_by_word ON search_orders USING gin (words) WITH (gin_pending_list_limit = 64);
