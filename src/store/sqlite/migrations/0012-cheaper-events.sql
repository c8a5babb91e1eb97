-- An event of an order costs two thirds of what it did. Those of a pet are found by its orders, so only corrections and deletions of pets are in
-- an index of their pets. What is copied from another store is written without triggers, so this one need not ask what is there already.

DROP INDEX events_by_pet;
CREATE INDEX events_of_pets ON events (pet_id) WHERE order_id IS NULL;

DROP TRIGGER events_of_orders;
CREATE TRIGGER events_of_orders AFTER INSERT ON order_transitions BEGIN
  INSERT INTO events (id, after_pet, type, at, key_id, pet_id, order_id)
  SELECT last_pet + ifnull(n, 0) + 1, last_pet, 'order.' || iif(NEW.status = 'pending', 'placed', NEW.status), NEW.at,
    NEW.key_id, pet_id, NEW.order_id
  FROM (SELECT pet_id FROM orders WHERE id = NEW.order_id),
    (SELECT seq AS last_pet FROM sqlite_sequence WHERE name = 'pets'),
    (SELECT (SELECT id - after_pet FROM events ORDER BY id DESC LIMIT 1) AS n);
END;
