-- Times are milliseconds since 1970.

CREATE TABLE keys (
  id          bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        text    NOT NULL,
  hash        text    NOT NULL UNIQUE,
  read_only   boolean NOT NULL,
  created_at  bigint  NOT NULL,
  expires_at  bigint,
  revoked_at  bigint
);

CREATE TABLE pets (
  id          bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        text    NOT NULL,
  category_id bigint  NOT NULL,
  status      text    NOT NULL,
  created_at  bigint  NOT NULL,
  created_by  bigint  NOT NULL REFERENCES keys (id)
);

CREATE INDEX pets_by_status ON pets (status, id);

CREATE TABLE deprecated_calls (
  key_id       bigint NOT NULL REFERENCES keys (id),
  operation_id text   NOT NULL,
  calls        bigint NOT NULL,
  last_at      bigint NOT NULL,
  PRIMARY KEY (key_id, operation_id)
);

-- Only one transaction at a time may add pets. Otherwise two transactions could take ids 1 and 2 and commit in the order 2, 1: a
-- reader in between would see 2, continue after it, and never see 1. A statement trigger runs before the first row of its
-- statement gets an id, and the lock is released after the commit has become visible. So a reader that sees an id sees every
-- smaller one, too. The lock is taken by the database, not by the service, so that no client can bypass it.
CREATE FUNCTION petstore_take_turns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  RETURN NULL;
END $$;

CREATE TRIGGER petstore_take_turns BEFORE INSERT ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();

-- What is acknowledged is on disk, and on the synchronous standby where there is one, whatever the database was set to.
CREATE FUNCTION petstore_commit_durably() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('synchronous_commit') IN ('off', 'local') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER petstore_commit_durably BEFORE INSERT OR UPDATE ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_commit_durably();
CREATE TRIGGER petstore_commit_durably BEFORE INSERT OR UPDATE ON keys
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_commit_durably();
