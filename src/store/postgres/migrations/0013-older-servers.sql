-- The number is for functions/older-servers.sql, in which the functions that older servers call now call those of today.

SELECT 1;
