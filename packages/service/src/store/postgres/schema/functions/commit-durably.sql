-- Changes that other programs make are on disk, and on the synchronous standby if there is one, whatever the
-- database's settings are. A transaction that sets petstore.decides, as the service does, has set synchronous_commit.
CREATE OR REPLACE FUNCTION petstore_commit_durably() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('synchronous_commit') IN ('off', 'local')
    AND current_setting('petstore.decides', true) IS DISTINCT FROM 'on' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER petstore_commit_durably BEFORE INSERT OR UPDATE OR DELETE ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_commit_durably();
-- Not `ending` and `last_used_at`: servers of earlier versions save them, also while the standby is away, without
-- setting petstore.decides.
CREATE OR REPLACE TRIGGER petstore_commit_durably
  BEFORE INSERT OR UPDATE OF name, hash, read_only, created_at, expires_at, revoked_at ON keys
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_commit_durably();
CREATE OR REPLACE TRIGGER petstore_commit_durably BEFORE INSERT OR UPDATE ON orders
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_commit_durably();
