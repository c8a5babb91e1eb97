-- What the service decides now (src/domain/decisions/), and what servers of the versions before called.
DO $$
DECLARE
  gone text;
BEGIN
  FOR gone IN
    SELECT oid::regprocedure FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND proname IN (
      'petstore_move_orders', 'petstore_place_orders', 'petstore_change_orders', 'petstore_order_version', 'petstore_expire_orders',
      'petstore_expire_holder', 'petstore_begin_correction', 'petstore_add_event', 'petstore_add_order_events', 'petstore_add_events', 'petstore_add_transition',
      'petstore_new_pet_json', 'petstore_create_pets', 'petstore_refuse_key'
    ) OR oid = to_regprocedure('petstore_add_pets(json, bigint, bigint)')
  LOOP
    EXECUTE format('DROP FUNCTION %s CASCADE', gone);
  END LOOP;
END $$;
DROP TYPE IF EXISTS petstore_outcome;
