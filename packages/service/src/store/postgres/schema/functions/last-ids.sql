-- The last ids of orders and pets; the next ids follow them. Run with the owner's rights, because servers have none on
-- the sequences, so a temporary table must not shadow them.
SELECT set_config('search_path', regexp_replace(current_setting('search_path'), '(, pg_temp)?$', ', pg_temp'), true);

CREATE OR REPLACE FUNCTION petstore_last_order() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM orders_id_seq
$$;

CREATE OR REPLACE FUNCTION petstore_last_pet() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM pets_id_seq
$$;
