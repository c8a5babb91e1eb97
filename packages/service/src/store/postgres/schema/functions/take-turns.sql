-- Only one transaction at a time may add, move or delete pets, or place orders. Otherwise two transactions could take
-- ids 1 and 2 and commit in the order 2, 1: a reader in between would see 2, continue after it, and never see 1. A
-- statement trigger runs before its statement assigns the first id, and the lock is released after the commit is
-- visible. So a reader that sees an id has seen every smaller one, a pet keeps its status during a statement, and
-- there is no deadlock. The database takes the lock, so that no client can bypass it.
CREATE OR REPLACE FUNCTION petstore_take_turns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM :take_write_lock;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER petstore_take_turns BEFORE INSERT ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();
CREATE OR REPLACE TRIGGER petstore_take_turns_to_move BEFORE UPDATE ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();
CREATE OR REPLACE TRIGGER petstore_take_turns_to_delete BEFORE DELETE ON pets
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();
CREATE OR REPLACE TRIGGER petstore_take_turns BEFORE INSERT ON orders
  FOR EACH STATEMENT EXECUTE FUNCTION petstore_take_turns();
