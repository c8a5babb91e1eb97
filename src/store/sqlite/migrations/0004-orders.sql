-- Orders, who moved them and when, and how many pets have each status. Times are milliseconds since 1970.

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
CREATE INDEX orders_by_status ON orders (status, id);
CREATE INDEX orders_by_pet ON orders (pet_id, id);
CREATE INDEX orders_by_expiry ON orders (expires_at) WHERE status = 'pending' AND expires_at IS NOT NULL;

-- `key_id` is NULL where the service itself expired the order. Without foreign keys: the transaction that adds a row has just read
-- its order and its key, and checking both again would be a tenth of the time that it takes to place an order.
CREATE TABLE order_transitions (
  order_id INTEGER NOT NULL,
  status   TEXT    NOT NULL,
  at       INTEGER NOT NULL,
  key_id   INTEGER,
  PRIMARY KEY (order_id, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE inventory (
  status TEXT    NOT NULL PRIMARY KEY,
  pets   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO inventory (status, pets)
SELECT status, (SELECT count(*) FROM pets WHERE pets.status = known.status)
FROM (SELECT 'available' AS status UNION ALL SELECT 'pending' UNION ALL SELECT 'sold') AS known;

-- The inventory follows whatever writes pets, so it is exact also while a server of the version before runs, which does not know it.
CREATE TRIGGER inventory_added AFTER INSERT ON pets BEGIN
  UPDATE inventory SET pets = pets + 1 WHERE status = NEW.status;
END;
CREATE TRIGGER inventory_moved AFTER UPDATE OF status ON pets WHEN OLD.status <> NEW.status BEGIN
  UPDATE inventory SET pets = pets - 1 WHERE status = OLD.status;
  UPDATE inventory SET pets = pets + 1 WHERE status = NEW.status;
END;
