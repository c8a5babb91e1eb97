-- Only PostgreSQL has a change.
SELECT 1;
