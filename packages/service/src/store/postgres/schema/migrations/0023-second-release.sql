-- The function of the durable commits and its trigger on `keys` changed (functions/commit-durably.sql).
SELECT 1;
