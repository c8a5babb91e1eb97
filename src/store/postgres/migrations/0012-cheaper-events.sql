-- The events of a pet are found by its orders, so only corrections and deletions of pets are in an index of their pets: an event of an order
-- costs less.

DROP INDEX events_by_pet;
CREATE INDEX events_of_pets ON events (pet_id, id) WHERE order_id IS NULL;
