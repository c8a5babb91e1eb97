-- Nothing changes in PostgreSQL. The number is taken so that a schema has the same number in both stores.

SELECT 1;
