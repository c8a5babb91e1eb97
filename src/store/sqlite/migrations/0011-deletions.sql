-- Pets can be deleted: the inventory follows (0006-counted-inventory.sql).
CREATE TRIGGER inventory_deleted AFTER DELETE ON pets BEGIN
  UPDATE pet_counts SET pets = pets - 1 WHERE status = OLD.status AND counted_to >= OLD.id;
END;
