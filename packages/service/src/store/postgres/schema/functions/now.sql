-- The clock of all servers, in milliseconds since 1970.
CREATE OR REPLACE FUNCTION petstore_now() RETURNS bigint LANGUAGE sql VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
