-- Up to `most` of the rows that have words, by the index of search, in no order. Left to itself PostgreSQL would read the whole table where it expects
-- many of them, and find none of two words that are frequent and never stand together. Before PostgreSQL 18 a plan that goes against
-- enable_seqscan counts as so dear that it would be compiled, for seconds: hence jit = off.
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
