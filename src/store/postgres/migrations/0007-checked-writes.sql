-- A create of a server of schema 2 that waits for the migration goes on in the function of before, which knows the table of before. In its
-- place is an empty one: without an Idempotency-Key such a create succeeds, and with one it fails with an error to which every server
-- answers 503 (functions/older-servers.sql). Databases that were migrated by a version in between have a view there.
DROP VIEW IF EXISTS idempotency_keys;
DROP FUNCTION IF EXISTS petstore_forget_nothing();
CREATE TABLE idempotency_keys (pet_id bigint, key_id bigint, key text, created_at bigint, PRIMARY KEY (key_id, key));
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO PUBLIC;
