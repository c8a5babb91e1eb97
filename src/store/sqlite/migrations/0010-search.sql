-- The index of search (src/store/search/). `list` is 0 for pets and 1 for orders. It is filled behind the rows, by servers that know the same
-- folding of words; those of the version before need not know it. It is not copied to another store, which makes its own.

-- The ids of a segment that have a term: places in the segment, as two bytes each or as bits.
CREATE TABLE search_terms (
  list    INTEGER NOT NULL,
  folding INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  term    TEXT    NOT NULL,
  ids     BLOB    NOT NULL,
  PRIMARY KEY (list, folding, segment, term)
) STRICT, WITHOUT ROWID;

-- Segments whose terms are all there.
CREATE TABLE search_segments (
  list    INTEGER NOT NULL,
  folding INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  PRIMARY KEY (list, folding, segment)
) STRICT, WITHOUT ROWID;

-- Rows whose text has changed since they were added, in the order of the commits.
CREATE TABLE search_changes (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  list   INTEGER NOT NULL,
  row_id INTEGER NOT NULL
) STRICT;
CREATE INDEX search_changes_by_list ON search_changes (list, id);

CREATE TRIGGER search_changed_name AFTER UPDATE OF name ON pets WHEN OLD.name <> NEW.name BEGIN
  INSERT INTO search_changes (list, row_id) VALUES (0, NEW.id);
  INSERT INTO search_changes (list, row_id) SELECT 1, id FROM orders WHERE pet_id = NEW.id;
END;
CREATE TRIGGER search_changed_reference AFTER UPDATE OF reference ON orders WHEN OLD.reference IS NOT NEW.reference BEGIN
  INSERT INTO search_changes (list, row_id) VALUES (1, NEW.id);
END;
