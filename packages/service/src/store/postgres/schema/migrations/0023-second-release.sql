-- The trigger on `keys` changed (functions/commit-durably.sql).
SELECT 1;
