-- Search by FTS5: for each list the words of its rows, as src/domain/words.ts folds them, by the rows' ids. Whoever changes a name or a reference
-- changes them in the same transaction. They are not copied to another store, which makes its own.
--
-- What the words come from is in the rows (`content=''`), and places in a text are of no use (`detail=none`). Words are separated by spaces, and `ascii`
-- divides them nowhere else: `unicode61` knows an older Unicode than they do.

DROP TRIGGER search_changed_name;
DROP TRIGGER search_changed_reference;
DROP TABLE search_terms;
DROP TABLE search_segments;
DROP TABLE search_changes;

CREATE VIRTUAL TABLE search_pets USING fts5 (
  words, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1, prefix = '1 2 3 4 5 6');
CREATE VIRTUAL TABLE search_orders USING fts5 (
  words, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1, prefix = '1 2 3 4 5 6');
