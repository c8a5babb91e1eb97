-- The names of categories, unless a file has them. Pets can have categories without a name.
CREATE TABLE category_names (
  id   bigint NOT NULL PRIMARY KEY,
  name text   NOT NULL
);
-- The function of the durable commits and its trigger on `keys` changed (functions.sql).

-- Only servers of 1.0.0 called it.
DROP FUNCTION IF EXISTS petstore_add_pets(bigint[], json);
