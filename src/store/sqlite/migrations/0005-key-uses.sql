-- What keeps keys apart for people: the last four characters, and when each was last used. Both are unknown for a key that was
-- created before, until it is used.

ALTER TABLE keys ADD COLUMN ending TEXT;
ALTER TABLE keys ADD COLUMN last_used_at INTEGER;
