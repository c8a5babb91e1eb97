-- Triggers count the inventory, so it is exact even while servers of the previous version run, which do not know it.
-- They run with the owner's rights, because those servers have none on it, so a temporary table must not shadow it.
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
