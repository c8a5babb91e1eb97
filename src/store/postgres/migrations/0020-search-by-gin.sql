-- Search by GIN: for each list the words of its rows, as src/domain/words.ts folds them. Whoever changes a name or a reference changes them in the same
-- transaction. They are not copied to another store, which makes its own. In tables of their own, because each change of a status would write the
-- index anew. Without foreign keys, because only the service writes here, and the check for each row would be dear.
--
-- New words gather in a list that is moved into the index when it has 64 kB, the least that PostgreSQL allows: that is cheaper than to write each at
-- once, and whoever fills the list holds up the others for few milliseconds.

-- Nothing writes until the migration is committed.
SELECT pg_advisory_xact_lock(1346720851, 1);

DROP TRIGGER IF EXISTS petstore_search_changed ON pets;
DROP TRIGGER IF EXISTS petstore_search_changed ON orders;
DROP FUNCTION IF EXISTS petstore_search_changed();
DROP FUNCTION IF EXISTS petstore_index_terms(bigint, bigint, bigint, json, boolean);
DROP TABLE search_terms, search_segments, search_changes;

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
