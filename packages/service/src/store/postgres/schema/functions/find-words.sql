-- Servers of 1.0.0 and 1.1.0 that run beside this version search with these functions. This version does not call
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
