-- The current functions and triggers, installed after the migrations, each after the functions that it calls. A change
-- needs a migration, if only for its number, so that an older server does not reinstall its own. Signatures that
-- servers of the previous version call stay.

-- The clock of all servers, in milliseconds since 1970.
CREATE OR REPLACE FUNCTION petstore_now() RETURNS bigint LANGUAGE sql VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- Only one transaction at a time may add, move or delete pets, or place orders. Otherwise two transactions could take
-- ids 1 and 2 and commit in the order 2, 1: a reader in between would see 2, continue after it, and never see 1. A
-- statement trigger runs before its statement assigns the first id, and the lock is released after the commit is
-- visible. So a reader that sees an id has seen every smaller one, a pet keeps its status during a statement, and
-- there is no deadlock. The database takes the lock, so that no client can bypass it.
CREATE OR REPLACE FUNCTION petstore_take_turns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM :take_write_lock;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER petstore_take_turns BEFORE INSERT ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();
CREATE OR REPLACE TRIGGER petstore_take_turns_to_move BEFORE UPDATE ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();
CREATE OR REPLACE TRIGGER petstore_take_turns_to_delete BEFORE DELETE ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();
CREATE OR REPLACE TRIGGER petstore_take_turns BEFORE INSERT ON orders
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();

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
-- Not `ending` and `last_used_at`: servers of earlier versions save them, even while the standby is away, without
-- setting petstore.decides.
CREATE OR REPLACE TRIGGER petstore_commit_durably
  BEFORE INSERT OR UPDATE OF name, hash, read_only, created_at, expires_at, revoked_at ON keys
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_commit_durably();
CREATE OR REPLACE TRIGGER petstore_commit_durably BEFORE INSERT OR UPDATE ON orders
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_commit_durably();

-- Triggers count the inventory, so it is exact even while servers of the previous version run, which do not know it.
-- They run with the owner's rights, because such servers have no rights on it, so a temporary table must not shadow it.
SELECT set_config('search_path', regexp_replace(current_setting('search_path'), '(, pg_temp)?$', ', pg_temp'), true);

CREATE OR REPLACE FUNCTION petstore_count_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE inventory SET pets = pets + n
  FROM (SELECT status, count(*) AS n FROM added GROUP BY status) AS change WHERE change.status = inventory.status;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION petstore_count_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE inventory SET pets = pets + n
  FROM (
    SELECT status, sum(n) AS n
    FROM (SELECT status, 1 AS n FROM added UNION ALL SELECT status, -1 FROM removed) AS changes GROUP BY status
  ) AS change
  WHERE change.status = inventory.status AND n <> 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER petstore_count_added AFTER INSERT ON pets REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_count_added();
CREATE OR REPLACE TRIGGER petstore_count_moved AFTER UPDATE ON pets REFERENCING NEW TABLE AS added OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_count_moved();

CREATE OR REPLACE FUNCTION petstore_count_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE inventory SET pets = pets - n
  FROM (SELECT status, count(*) AS n FROM removed GROUP BY status) AS change WHERE change.status = inventory.status;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER petstore_count_removed AFTER DELETE ON pets REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_count_removed();

-- The last ids of orders and pets; the next ids follow them. Run with the owner's rights, because servers have none on
-- the sequences, so a temporary table must not shadow them.
CREATE OR REPLACE FUNCTION petstore_last_order() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM orders_id_seq
$$;

CREATE OR REPLACE FUNCTION petstore_last_pet() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM pets_id_seq
$$;

-- For servers that find a primary on a later timeline: skips the ids that they have seen, and a thousand more, because
-- the last ones may have been seen only by other servers. Returns whether an id was missing.
CREATE OR REPLACE FUNCTION petstore_skip_ids(last_pet bigint, last_order bigint, last_event bigint, last_key bigint)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  sequence regclass;
  seen bigint;
  skipped boolean := false;
BEGIN
  PERFORM :take_write_lock;
  FOR sequence, seen IN VALUES
    ('pets_id_seq'::regclass, last_pet), ('orders_id_seq', last_order), ('events_id_seq', last_event), ('keys_id_seq', last_key)
  LOOP
    IF seen > coalesce(pg_sequence_last_value(sequence), 0) THEN
      PERFORM setval(sequence, least(seen, 9223372036854774807) + 1000);
      skipped := true;
    END IF;
  END LOOP;
  RETURN skipped;
END $$;

-- The API keys that can no longer write, and why. Looked up one by one, for any size of the table.
CREATE OR REPLACE FUNCTION petstore_refused_callers(callers bigint[], now bigint) RETURNS TABLE (id bigint, refusal text) LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT caller, CASE WHEN found.id IS NULL THEN 'unknown' WHEN revoked_at IS NULL THEN 'expired' ELSE 'revoked' END
  FROM unnest(callers) AS caller
  LEFT JOIN LATERAL (SELECT id, revoked_at, expires_at FROM keys WHERE keys.id = caller LIMIT 1) AS found ON true
  WHERE found.id IS NULL OR revoked_at IS NOT NULL OR expires_at <= now;
END;

-- Servers of 1.0.0 and 1.1.0 that run next to this version search with these functions. This version does not call
-- them, and they never change.
--
-- Returns up to `most` rows that have the words, using the search index, in no order. On its own PostgreSQL would read
-- the whole table if it expects many rows, even for two frequent words that never occur together. Before PostgreSQL
-- 18, a plan against enable_seqscan looks so expensive that it would be compiled, for seconds: hence jit = off.
CREATE OR REPLACE FUNCTION petstore_found_pets(wanted tsquery, most bigint) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_indexscan = off SET jit = off AS $$
BEGIN
  RETURN QUERY SELECT id FROM search_pets WHERE words @@ wanted LIMIT most;
END $$;

CREATE OR REPLACE FUNCTION petstore_found_orders(wanted tsquery, most bigint) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_indexscan = off SET jit = off AS $$
BEGIN
  RETURN QUERY SELECT id FROM search_orders WHERE words @@ wanted LIMIT most;
END $$;
