-- Adds terms to a segment of the index of search, or replaces them; with the last of them the segment is there. Gives `false` when it was
-- there before. Servers that write the same segment follow one another, and the first one counts.
CREATE OR REPLACE FUNCTION petstore_index_terms(of_list bigint, of_folding bigint, of_segment bigint, terms json, is_last boolean)
RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 2);
  IF EXISTS (SELECT FROM search_segments WHERE list = of_list AND folding = of_folding AND segment = of_segment) THEN
    RETURN false;
  END IF;
  INSERT INTO search_terms (list, folding, segment, term, ids)
  SELECT of_list, of_folding, of_segment, term, decode(ids, 'base64') FROM json_to_recordset(terms) AS new (term text, ids text)
  ON CONFLICT (list, folding, segment, term) DO UPDATE SET ids = excluded.ids;
  IF is_last THEN
    INSERT INTO search_segments (list, folding, segment) VALUES (of_list, of_folding, of_segment);
  END IF;
  RETURN true;
END $$;

-- Remembers rows whose text has changed. The lock that creates take makes the order of the ids that of the commits. With the owner's rights:
-- servers of the version before have none on the table; so a temporary table of the same name must not come first.
SELECT set_config('search_path', regexp_replace(current_setting('search_path'), '(, pg_temp)?$', ', pg_temp'), true);

CREATE OR REPLACE FUNCTION petstore_search_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  IF TG_TABLE_NAME = 'orders' THEN
    INSERT INTO search_changes (list, row_id) VALUES (1, NEW.id);
  ELSE
    INSERT INTO search_changes (list, row_id)
    SELECT 0, NEW.id UNION ALL SELECT 1, id FROM orders WHERE pet_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER petstore_search_changed AFTER UPDATE OF name ON pets
  FOR EACH ROW WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION petstore_search_changed();
CREATE OR REPLACE TRIGGER petstore_search_changed AFTER UPDATE OF reference ON orders
  FOR EACH ROW WHEN (OLD.reference IS DISTINCT FROM NEW.reference) EXECUTE FUNCTION petstore_search_changed();
