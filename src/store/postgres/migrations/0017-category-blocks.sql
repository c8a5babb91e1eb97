-- Nothing changes in PostgreSQL: the number is for indexes of SQLite, so that a schema has the same number in both stores.

SELECT 1;
