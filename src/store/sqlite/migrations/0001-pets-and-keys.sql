-- Times are milliseconds since 1970. AUTOINCREMENT: an id is never given twice, not even after a row was removed by hand.

CREATE TABLE keys (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT    NOT NULL,
  hash        TEXT    NOT NULL UNIQUE,
  read_only   INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER,
  revoked_at  INTEGER
) STRICT;

CREATE TABLE pets (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT    NOT NULL,
  category_id INTEGER NOT NULL,
  status      TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  created_by  INTEGER NOT NULL REFERENCES keys (id)
) STRICT;

CREATE INDEX pets_by_status ON pets (status, id);

CREATE TABLE deprecated_calls (
  key_id       INTEGER NOT NULL REFERENCES keys (id),
  operation_id TEXT    NOT NULL,
  calls        INTEGER NOT NULL,
  last_at      INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation_id)
) STRICT, WITHOUT ROWID;
