-- The last ids of orders and pets; the next ids follow them. Run with the owner's rights, because servers have none on
-- the sequences, so a temporary table must not shadow them.
SELECT set_config('search_path', regexp_replace(current_setting('search_path'), '(, pg_temp)?$', ', pg_temp'), true);

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
