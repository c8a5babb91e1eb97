-- Lists of the pets of a category, with a status or with any: the walks along this index, one for each status, end at the size of a page.

-- Creates wait until the migration is committed.
SELECT pg_advisory_xact_lock(1346720851, 1);

CREATE INDEX pets_by_category ON pets (category_id, status, id);
