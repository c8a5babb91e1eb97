-- Nothing changes in PostgreSQL, which writes every index of a row that changes in one: the number is for an index of SQLite, so that a schema has the
-- same number in both stores.

SELECT 1;
