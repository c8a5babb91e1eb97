-- Nothing changes in SQLite: the number is for functions of PostgreSQL, so that a schema has the same number in both stores.

SELECT 1;
