-- The schema of 1.0.0, which a new store gets. Later versions change it by migrations (schema.ts). Times are milliseconds since 1970.
-- AUTOINCREMENT: an id is never given twice, not even after a row was removed by hand.

CREATE TABLE keys (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT    NOT NULL,
  hash         TEXT    NOT NULL UNIQUE,
  read_only    INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  -- What keeps keys apart for people: the last four characters, and when each was last used. Unknown until it is used.
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
-- Without the status, so that an order does not move its pet to another page. A list of a category and a status finds its pets in blocks of 2 048
-- ids (page-queries.ts).
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

-- How many pets have each status, of those with ids up to `counted_to`. The pets that a transaction adds are counted together at its end
-- (inventory.ts): a trigger for each would be a tenth of a create.
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

-- The feed: a row for each event with what it tells, written in the transaction of its change. Without foreign keys: the transaction that
-- adds a row has just read its pet, order and key.
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

CREATE INDEX events_by_pet ON events (pet_id);
CREATE INDEX events_by_order ON events (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX events_by_type ON events (type);
CREATE INDEX events_by_time ON events (reached) WHERE reached IS NOT NULL;

-- Cursors of the feed belong to it: 48 random bits, other ones in every store and after a restore.
CREATE TABLE event_epoch (
  epoch INTEGER PRIMARY KEY
) STRICT;
INSERT INTO event_epoch VALUES (random() & 281474976710655);

-- What was answered first under which Idempotency-Key, and to which request of which operation.
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

-- Search by FTS5: for each list the words of its rows, as packages/service/src/domain/words.ts folds them, by the rows' ids. Whoever changes a name or a reference
-- changes them in the same transaction. They are not copied to another store, which makes its own.
--
-- What the words come from is in the rows (`content=''`), and places in a text are of no use (`detail=none`). Words are separated by spaces, and `ascii`
-- divides them nowhere else: `unicode61` knows an older Unicode than they do. Each begins with the letter of its block of ids (search.ts).
CREATE VIRTUAL TABLE search_pets USING fts5 (
  words, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1, prefix = '2 3 4');
CREATE VIRTUAL TABLE search_orders USING fts5 (
  words, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1, prefix = '2 3 4');
-- A part of an index is written with each commit. Parts are merged 64 pages at a time, so pages are small, and eight or more at once. Where they become
-- 16, FTS5 would merge them whole within one commit, which takes longer than a tenth of a second in a store of five million pets: so that waits until
-- there are 256.
INSERT INTO search_pets (search_pets, rank) VALUES ('automerge', 8), ('crisismerge', 256), ('pgsz', 1000);
INSERT INTO search_orders (search_orders, rank) VALUES ('automerge', 8), ('crisismerge', 256), ('pgsz', 1000);
