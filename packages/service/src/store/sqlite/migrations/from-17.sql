-- What else a store of schema 17, `old`, gives to one of schema 21, `main`, beside its rows.

INSERT OR REPLACE INTO main.inventory (status, pets, counted_to) SELECT status, pets, counted_to FROM old.pet_counts;

DELETE FROM main.event_epoch;
INSERT INTO main.event_epoch (epoch) SELECT epoch FROM old.event_epoch;

DELETE FROM main.sqlite_sequence;
INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM old.sqlite_sequence WHERE name IN ('keys', 'pets', 'orders')
UNION ALL SELECT 'events', 0;
