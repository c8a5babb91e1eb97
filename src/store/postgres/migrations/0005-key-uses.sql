-- What keeps keys apart for people: the last four characters, and when each was last used. Both are unknown for a key that was
-- created before, until it is used. Servers of the version before go on: they name the columns that they read and write.

ALTER TABLE keys ADD ending text, ADD last_used_at bigint;
