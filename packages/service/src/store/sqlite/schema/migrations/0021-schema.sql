-- The schema of 1.0.0, which a new store gets. Later versions change it with migrations (schema.ts). Times are
-- milliseconds since 1970. AUTOINCREMENT never reuses an id, even after a row was removed by hand.

CREATE TABLE keys (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT    NOT NULL,
  hash         TEXT    NOT NULL UNIQUE,
  read_only    INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  -- Help people to tell keys apart: the last four characters, and the time of last use. NULL until the key is used.
  ending       TEXT,
  last_used_at INTEGER
) STRICT;

CREATE TABLE deprecated_calls (
  key_id       INTEGER NOT NULL REFERENCES keys (id),
  operation_id TEXT    NOT NULL,
  calls        INTEGER NOT NULL,
  last_at      INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE pets (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT    NOT NULL,
  category_id INTEGER NOT NULL,
  status      TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  created_by  INTEGER NOT NULL REFERENCES keys (id)
) STRICT;

CREATE INDEX pets_by_status ON pets (status);
-- Without the status, so that an order does not move its pet to another page. Lists of a category and a status use the
-- blocks of 2,048 ids (page-queries.ts).
CREATE INDEX pets_by_category ON pets (category_id);
CREATE INDEX pets_by_category_in_blocks ON pets (id >> 11, category_id, status);

CREATE TABLE orders (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  pet_id     INTEGER NOT NULL REFERENCES pets (id),
  status     TEXT    NOT NULL CHECK (status IN ('pending', 'completed', 'cancelled', 'expired', 'returned')),
  reference  TEXT,
  expires_at INTEGER,
  placed_at  INTEGER NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;

-- At most one order holds a pet.
CREATE UNIQUE INDEX orders_that_hold ON orders (pet_id) WHERE status IN ('pending', 'completed');
CREATE INDEX orders_by_status ON orders (status);
CREATE INDEX orders_by_pet ON orders (pet_id);
CREATE INDEX orders_by_expiry ON orders (expires_at) WHERE status = 'pending' AND expires_at IS NOT NULL;

-- How many pets with ids up to `counted_to` have each status. Pets that a transaction adds are counted together at its
-- end (inventory.ts); a trigger for each would take a tenth of a create.
CREATE TABLE inventory (
  status     TEXT    NOT NULL PRIMARY KEY,
  pets       INTEGER NOT NULL,
  counted_to INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO inventory VALUES ('available', 0, 0), ('pending', 0, 0), ('sold', 0, 0);

CREATE TRIGGER inventory_moved AFTER UPDATE OF status ON pets WHEN OLD.status <> NEW.status BEGIN
  UPDATE inventory SET pets = pets + (status = NEW.status) - (status = OLD.status) WHERE counted_to >= OLD.id;
END;
CREATE TRIGGER inventory_deleted AFTER DELETE ON pets BEGIN
  UPDATE inventory SET pets = pets - 1 WHERE status = OLD.status AND counted_to >= OLD.id;
END;

-- The feed of events. Each row is written in the transaction of its change. No foreign keys, because that transaction
-- has just read the pet, the order and the key.
CREATE TABLE events (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  type         TEXT    NOT NULL,
  at           INTEGER NOT NULL,
  -- `at` if no earlier event has a time as late, otherwise NULL. Unlike `at`, it increases with the ids even if a
  -- clock is set back.
  reached      INTEGER,
  -- NULL if the service itself made the change.
  key_id       INTEGER,
  pet_id       INTEGER NOT NULL,
  -- The pet's status right after the event, and, if it was added or corrected, its other fields as JSON.
  pet_status   TEXT,
  pet          TEXT,
  order_id     INTEGER,
  order_status TEXT
) STRICT;

CREATE INDEX events_by_pet ON events (pet_id);
CREATE INDEX events_by_order ON events (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX events_by_type ON events (type);
CREATE INDEX events_by_time ON events (reached) WHERE reached IS NOT NULL;

-- 48 random bits, different in every store and after a restore, so that cursors of the feed are valid in one store
-- only.
CREATE TABLE event_epoch (
  epoch INTEGER PRIMARY KEY
) STRICT;
INSERT INTO event_epoch VALUES (random() & 281474976710655);

-- The first answer for each Idempotency-Key, with its request and operation.
CREATE TABLE idempotency_answers (
  key_id     INTEGER NOT NULL REFERENCES keys (id),
  key        TEXT    NOT NULL,
  operation  TEXT    NOT NULL,
  request    TEXT    NOT NULL,
  answer     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, key)
) STRICT;

CREATE INDEX idempotency_answers_by_time ON idempotency_answers (created_at);

-- Search with FTS5: the words of each list's rows (packages/service/src/domain/words.ts), by row id, updated in the
-- transaction that changes a name or a reference. They are not copied to another store, which builds its own.
--
-- The rows have the text (`content=''`), and positions are not needed (`detail=none`). Words are separated by spaces.
-- `ascii` splits only there; `unicode61` uses an older Unicode version than words.ts. Each word begins with the letter
-- of its block of ids (search.ts).
CREATE VIRTUAL TABLE search_pets USING fts5 (
  words, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1, prefix = '2 3 4');
CREATE VIRTUAL TABLE search_orders USING fts5 (
  words, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1, prefix = '2 3 4');
-- Each commit writes a segment. Segments are merged 64 pages at a time (so pages are small), when there are eight or
-- more. At 16, FTS5 would by default merge them whole in one commit, which takes over 0.1 seconds in a store with five
-- million pets; raised to 256.
INSERT INTO search_pets (search_pets, rank) VALUES ('automerge', 8), ('crisismerge', 256), ('pgsz', 1000);
INSERT INTO search_orders (search_orders, rank) VALUES ('automerge', 8), ('crisismerge', 256), ('pgsz', 1000);
