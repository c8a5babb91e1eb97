-- The API keys that can no longer write, and why. Looked up one by one, whatever the size of the table.
CREATE OR REPLACE FUNCTION petstore_refused_callers(callers bigint[], now bigint) RETURNS TABLE (id bigint, refusal text) LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT caller, CASE WHEN found.id IS NULL THEN 'unknown' WHEN revoked_at IS NULL THEN 'expired' ELSE 'revoked' END
  FROM unnest(callers) AS caller
  LEFT JOIN LATERAL (SELECT id, revoked_at, expires_at FROM keys WHERE keys.id = caller LIMIT 1) AS found ON true
  WHERE found.id IS NULL OR revoked_at IS NOT NULL OR expires_at <= now;
END;
