-- The functions of schema 7 ask once more inside the transaction of a write: for its API key, and for the version of its order. Those that
-- servers of the version before call stay as they are.

-- A create of a server of schema 2 that waits for the migration goes on in the function of before, which knows the table of before. In
-- place of the view there is now an empty table: without an Idempotency-Key such a create succeeds, and with one it fails with an error
-- to which every server answers 503. To an INSERT into the view the first servers answered 500.
DROP VIEW idempotency_keys;
DROP FUNCTION petstore_forget_nothing();
CREATE TABLE idempotency_keys (pet_id bigint, key_id bigint, key text, created_at bigint, PRIMARY KEY (key_id, key));
CREATE FUNCTION petstore_refuse_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'the schema has changed' USING ERRCODE = 'serialization_failure';
END $$;
CREATE TRIGGER petstore_refuse_key BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION petstore_refuse_key();
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO PUBLIC;
