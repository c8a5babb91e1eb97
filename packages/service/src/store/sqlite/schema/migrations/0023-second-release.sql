-- The names of categories, unless a file has them. Pets can have categories without a name.
CREATE TABLE category_names (
  id   INTEGER PRIMARY KEY,
  name TEXT    NOT NULL
) STRICT;
