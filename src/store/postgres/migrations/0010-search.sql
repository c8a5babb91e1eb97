-- The index of search (src/store/search/). `list` is 0 for pets and 1 for orders. It is filled behind the rows, by servers that know the same
-- folding of words; those of the version before need not know it. It is not copied to another store, which makes its own.

-- The ids of a segment that have a term: places in the segment, as two bytes each or as bits. Terms are compared by their bytes.
CREATE TABLE search_terms (
  list    bigint NOT NULL,
  folding bigint NOT NULL,
  segment bigint NOT NULL,
  term    text   COLLATE "C" NOT NULL,
  ids     bytea  NOT NULL,
  PRIMARY KEY (list, folding, segment, term)
);

-- Segments whose terms are all there.
CREATE TABLE search_segments (
  list    bigint NOT NULL,
  folding bigint NOT NULL,
  segment bigint NOT NULL,
  PRIMARY KEY (list, folding, segment)
);

-- Rows whose text has changed since they were added, in the order of the commits.
CREATE TABLE search_changes (
  id     bigint GENERATED ALWAYS AS IDENTITY,
  list   bigint NOT NULL,
  row_id bigint NOT NULL,
  PRIMARY KEY (list, id)
);
