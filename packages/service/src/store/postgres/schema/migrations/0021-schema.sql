-- The schema of 1.0.0, which a new database gets; functions and triggers stand in functions/. Later versions change it by migrations
-- (schema.ts). Times are milliseconds since 1970.

CREATE TABLE keys (
  id           bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name         text    NOT NULL,
  hash         text    NOT NULL UNIQUE,
  read_only    boolean NOT NULL,
  created_at   bigint  NOT NULL,
  expires_at   bigint,
  revoked_at   bigint,
  -- What keeps keys apart for people: the last four characters, and when each was last used. Unknown until it is used.
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
-- Lists of a category, with a status or with any: the walks along this index, one for each status, end at the size of a page.
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

-- The feed: a row for each event with what it tells, written in the transaction of its change. Without foreign keys, because only the service writes
-- here, and the checks for each row would be dear.
CREATE TABLE events (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type         text   NOT NULL,
  at           bigint NOT NULL,
  -- `at`, where no event before is as late. Times do not follow the ids where a clock was set back; these do.
  reached      bigint,
  -- NULL where the service itself did it.
  key_id       bigint,
  pet_id       bigint NOT NULL,
  -- The status of the pet right after it, and the rest of the pet as JSON, where it was added or corrected.
  pet_status   text,
  pet          text,
  order_id     bigint,
  order_status text
);

CREATE INDEX events_by_pet ON events (pet_id, id);
CREATE INDEX events_by_order ON events (order_id, id) WHERE order_id IS NOT NULL;
CREATE INDEX events_by_type ON events (type, id);
CREATE INDEX events_by_time ON events (reached, id) WHERE reached IS NOT NULL;

-- Cursors of the feed belong to it: 48 random bits, other ones in every store and after a restore.
CREATE TABLE event_epoch (
  epoch bigint NOT NULL PRIMARY KEY
);
INSERT INTO event_epoch VALUES (('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint);

-- What was answered first under which Idempotency-Key, and to which request of which operation: JSON, members in the contract's order and
-- without spaces. A later request is the same when its `request` is.
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

-- Search by GIN: for each list the words of its rows, as packages/service/src/domain/words.ts folds them. Whoever changes a name or a reference changes them in the same
-- transaction. They are not copied to another store, which makes its own. In tables of their own, because each change of a status would
-- write the index again.
--
-- New words gather in a list that is moved into the index when it has 64 kB, the least that PostgreSQL allows: that is cheaper than to write
-- each at once, and whoever fills the list holds up the others for few milliseconds.
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
