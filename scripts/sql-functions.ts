// The functions of PostgreSQL that follow from tables of the code: a column or a move that is in the table is in the function.

import { MOVES, type Moved, petStatusOf } from '../src/domain/order-moves.ts'
import { POSTGRES_JSON } from '../src/store/postgres/json.ts'
import { type AnyColumns, jsonObject } from '../src/store/shared/columns.ts'
import { TOLD_COLUMNS } from '../src/store/shared/events.ts'
import { HOLDS, NEW_ORDER_COLUMNS, ORDER_COLUMNS } from '../src/store/shared/order-columns.ts'
import { LATEST_EXPIRY_MS } from '../src/store/shared/order-refusals.ts'
import { NEW_PET_COLUMNS, PET_COLUMNS } from '../src/store/shared/pet-columns.ts'

const FOLDER = 'src/store/postgres/functions'

/** The texts of the generated files, by their paths. */
export function sqlFunctions(): Record<string, string> {
  return {
    [`${FOLDER}/add-events.sql`]: written('src/domain/order-moves.ts', addEvents()),
    [`${FOLDER}/add-pets.sql`]: written('src/store/shared/pet-columns.ts', addPets()),
    [`${FOLDER}/move-orders.sql`]: written('src/domain/order-moves.ts', moveOrders()),
    [`${FOLDER}/place-orders.sql`]: written('src/store/shared/order-columns.ts', placeOrders()),
  }
}

function written(table: string, sql: string): string {
  return `-- Written by \`npm run generate\` from ${table} and scripts/sql-functions.ts; not edited by hand.\n\n${sql}`
}

/** An answer that is kept with an idempotency key has times as numbers. */
const KEPT_JSON = { ...POSTGRES_JSON, time: (column: string) => column }

const namesOf = (columns: AnyColumns) => Object.values(columns).map(({ column }) => column)
const typesOf = (columns: AnyColumns) =>
  Object.values(columns).map(
    ({ column, kind }) => `${column} ${['integer', 'time'].includes(kind) ? 'bigint' : 'text'}`,
  )

/** `at`, where no event before is as late: neither one of the same statement, nor one that is there. */
const REACHED = `CASE WHEN (
      at > greatest(max(at) OVER (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), (SELECT max(reached) FROM events))
    ) IS NOT FALSE THEN at END`

function addEvents(): string {
  const states = ['pending', ...(Object.keys(MOVES) as Moved[])] as const
  const petStatus = states.map((status) => `WHEN '${status}' THEN '${petStatusOf(status)}'`).join(' ')
  return `-- The rows of events (src/store/shared/events.ts), in their order. The caller holds the lock that orders the commits: ids are drawn under it,
-- so no event ever appears behind a reader.
CREATE OR REPLACE FUNCTION petstore_add_events(rows json) RETURNS void LANGUAGE sql AS $$
  INSERT INTO events (type, at, reached, key_id, pet_id, pet_status, pet, order_id, order_status)
  SELECT type, at, ${REACHED}, key_id, pet_id, pet_status, pet, order_id, order_status
  FROM ROWS FROM (
    json_to_recordset(rows) AS (
      type text, at bigint, key_id bigint, pet_id bigint, pet_status text, pet text, order_id bigint, order_status text)
  ) WITH ORDINALITY AS new (type, at, key_id, pet_id, pet_status, pet, order_id, order_status, place)
  ORDER BY place
$$;

-- Those of orders that were placed or moved, which came into these states. Gives the orders.
CREATE OR REPLACE FUNCTION petstore_add_order_events(
  order_ids bigint[], pet_ids bigint[], states text[], times bigint[], key_ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (type, at, reached, key_id, pet_id, pet_status, order_id, order_status)
  SELECT 'order.' || CASE status WHEN 'pending' THEN 'placed' ELSE status END, at, ${REACHED}, key_id,
         pet_id, CASE status ${petStatus} END, order_id, status
  FROM (
    SELECT *, row_number() OVER (ORDER BY order_id) AS place
    FROM unnest(order_ids, pet_ids, states, times, key_ids) AS moved (order_id, pet_id, status, at, key_id)
  ) AS moved
  ORDER BY place;
  RETURN coalesce(order_ids, '{}');
END $$;
`
}

function addPets(): string {
  const names = namesOf(NEW_PET_COLUMNS).join(', ')
  return `-- Adds a batch of pets, in order. One whose idempotency key is kept is not added: what the key gave comes back instead, in
-- \`operation\`, \`request\` and \`answer\`. A key may be in a batch once, with its request.
-- Nothing is done where one of the \`callers\`, the API keys of the batch, is refused: then rows without a place give these. Their expiry
-- is judged by the database's clock, because that of a server was read before the call had to wait.
-- The lock is taken first, and each statement of a function sees what was committed before it began (READ COMMITTED): so
-- two servers that get the same key see what the other has done.
CREATE OR REPLACE FUNCTION petstore_add_pets(callers bigint[], batch json)
RETURNS TABLE (place bigint, id bigint, refusal text, operation text, request text, answer text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  now bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(1346720851, 1);
  now := petstore_now();
  RETURN QUERY
  SELECT NULL::bigint, refused.id, refused.refusal, NULL::text, NULL::text, NULL::text
  FROM petstore_refused_keys(callers, now) AS refused;
  IF FOUND THEN
    RETURN;
  END IF;

  RETURN QUERY
  WITH new AS MATERIALIZED (
    SELECT * FROM ROWS FROM (
      json_to_recordset(batch) AS (${typesOf(NEW_PET_COLUMNS).join(', ')}, created_by bigint, key text, request text)
    ) WITH ORDINALITY AS new (${names}, created_by, key, request, place)
  ), known AS MATERIALIZED (
    -- Each key is looked up by itself: a plan that was made while the table was small cannot read all of it later.
    SELECT place, used.*
    FROM new CROSS JOIN LATERAL (
      SELECT operation, request, answer FROM idempotency_answers AS used
      WHERE used.key_id = new.created_by AND used.key = new.key LIMIT 1
    ) AS used
  ), unknown AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY place) AS turn FROM new WHERE place NOT IN (SELECT place FROM known)
  ), added AS (
    -- Ids are taken in the order of the rows.
    INSERT INTO pets (${names}, created_at, created_by)
    SELECT ${names}, now, created_by FROM unknown ORDER BY turn
    RETURNING id
  ), numbered AS (
    SELECT id, row_number() OVER (ORDER BY id) AS turn FROM added
  ), told AS (
    INSERT INTO events (type, at, reached, key_id, pet_id, pet_status, pet)
    SELECT 'pet.added', now, CASE WHEN turn = 1 AND (now > (SELECT max(reached) FROM events)) IS NOT FALSE THEN now END,
           created_by, id, status, ${jsonObject(TOLD_COLUMNS, POSTGRES_JSON)}
    FROM unknown JOIN numbered USING (turn) ORDER BY turn
  ), kept AS (
    INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
    SELECT created_by, key, 'createPet', request, ${jsonObject(PET_COLUMNS, KEPT_JSON)}, now
    FROM unknown JOIN numbered USING (turn) WHERE key IS NOT NULL
  )
  SELECT place, numbered.id, NULL::text, NULL::text, NULL::text, NULL::text FROM unknown JOIN numbered USING (turn)
  UNION ALL
  SELECT place, NULL::bigint, NULL::text, operation, request, answer FROM known
  ORDER BY 1;
END $$;
`
}

function moveOrders(): string {
  const cases = (of: (to: Moved) => string) =>
    `CASE asked.status ${(Object.keys(MOVES) as Moved[]).map((to) => `WHEN '${to}' THEN '${of(to)}'`).join(' ')} END`
  const from = cases((to) => MOVES[to].from)
  const [before, after] = [0, 1].map((index) => cases((to) => MOVES[to].pet[index as 0 | 1]))
  return `-- Moves each of the orders, and its pet, to the state named beside it, if it is in the state before that; others stay as they
-- are, and a state that is NULL moves nothing. Of an order that is there twice, the first counts. A clock that was set back dates no
-- change before the one that it follows. Gives those that were moved. The caller holds the lock.
CREATE OR REPLACE FUNCTION petstore_move_orders(ids bigint[], states text[], key_ids bigint[], at bigint) RETURNS bigint[]
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_nestloop = off AS $$
DECLARE
  orders_moved bigint[];
  pets_moved bigint;
BEGIN
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT ON (id) * FROM unnest(ids, states, key_ids) WITH ORDINALITY AS asked (id, status, key_id, place)
    WHERE status IS NOT NULL ORDER BY id, place
  ), moved AS (
    UPDATE orders SET status = asked.status, changed_at = greatest(at, changed_at)
    FROM asked
    WHERE orders.id = asked.id AND orders.id = ANY (ids)
      AND orders.status = ${from}
    RETURNING orders.id, pet_id, asked.status, changed_at, key_id
  ), followed AS (
    UPDATE pets SET status = ${after}
    FROM moved AS asked
    WHERE pets.id = asked.pet_id AND pets.id = ANY (ARRAY(SELECT pet_id FROM moved))
      AND pets.status = ${before}
    RETURNING 1
  )
  SELECT petstore_add_order_events(array_agg(id), array_agg(pet_id), array_agg(status), array_agg(changed_at), array_agg(key_id)),
         (SELECT count(*) FROM followed)
  FROM moved INTO orders_moved, pets_moved;
  IF cardinality(orders_moved) <> pets_moved THEN
    RAISE EXCEPTION 'the status of a pet does not agree with that of the order that holds it';
  END IF;
  RETURN orders_moved;
END $$;
`
}

/** The columns of an order in `petstore_outcome`: a new one is added to that type by a migration, behind the others. */
const FIRST_OUTCOME = ['id', 'pet_id', 'pet_name', 'status', 'reference', 'expires_at', 'placed_at', 'changed_at']

function placeOrders(): string {
  const names = namesOf(NEW_ORDER_COLUMNS).join(', ')
  const outcome = [...new Set([...FIRST_OUTCOME, ...namesOf(ORDER_COLUMNS)])]
  const outcomeWith = (known: Record<string, string>) => outcome.map((name) => known[name] ?? 'NULL').join(', ')
  const holder = { id: 'coalesce(placed.id, holder.id)', pet_id: 'judged.pet_id', pet_name: 'judged.name' }
  return `-- Places orders, in their order (an idempotency key may be there once). Gives a row for each, with the keys used after \`kept_since\`;
-- \`used_at\` is the time of use of those that are new. The caller holds the lock, and its settings hold here, too.
CREATE OR REPLACE FUNCTION petstore_place_orders(
  placements json, places_before bigint, now bigint, used_at bigint, kept_since bigint) RETURNS SETOF petstore_outcome
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH new AS MATERIALIZED (
    SELECT * FROM ROWS FROM (
      json_to_recordset(placements) AS (${typesOf(NEW_ORDER_COLUMNS).join(', ')}, key_id bigint, key text, request text)
    ) WITH ORDINALITY AS new (${names}, key_id, key, request, turn)
  ), known AS MATERIALIZED (
    SELECT turn, used.*
    FROM new JOIN LATERAL (
      SELECT operation, request, answer, created_at FROM idempotency_answers AS used
      WHERE used.key_id = new.key_id AND used.key = new.key LIMIT 1
    ) AS used ON used.created_at > kept_since
  ), judged AS MATERIALIZED (
    SELECT new.*, pet.name, pet.status AS pet_status,
           CASE WHEN expires_at <= now OR expires_at > now + ${LATEST_EXPIRY_MS} THEN 'invalid_order'
                WHEN pet.status IS NULL THEN 'pet_not_found'
                WHEN pet.status <> 'available' THEN 'pet_not_available' END AS refusal
    FROM new LEFT JOIN LATERAL (SELECT name, status FROM pets WHERE pets.id = new.pet_id LIMIT 1) AS pet ON true
    WHERE turn NOT IN (SELECT turn FROM known)
  ), first AS MATERIALIZED (
    SELECT DISTINCT ON (pet_id) * FROM judged WHERE refusal IS NULL ORDER BY pet_id, turn
  ), reserved AS (
    UPDATE pets SET status = 'pending' FROM first
    WHERE pets.id = first.pet_id AND pets.id = ANY (ARRAY(SELECT pet_id FROM first)) AND pets.status = 'available'
    RETURNING first.*
  ), added AS (
    -- Ids are taken in the order of the rows.
    INSERT INTO orders (${names}, status, placed_at, changed_at)
    SELECT ${names}, 'pending', now, now FROM reserved ORDER BY turn
    RETURNING id, pet_id
  ), placed AS MATERIALIZED (
    SELECT *, name AS pet_name, 'pending' AS status, now AS placed_at, now AS changed_at
    FROM reserved JOIN added USING (pet_id)
  ), answered AS (
    INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
    SELECT key_id, key, 'placeOrder', request, ${jsonObject(ORDER_COLUMNS, KEPT_JSON)}, used_at
    FROM placed WHERE key IS NOT NULL
    ON CONFLICT (key_id, key) DO UPDATE SET operation = excluded.operation, request = excluded.request,
      answer = excluded.answer, created_at = excluded.created_at
  )
  SELECT places_before + turn, true, NULL, NULL, NULL, NULL, NULL, ${outcome.join(', ')} FROM placed
  -- Once for all of them.
  WHERE cardinality((
    SELECT petstore_add_order_events(array_agg(id), array_agg(pet_id), array_agg(status), array_agg(placed_at), array_agg(key_id)) FROM placed
  )) > 0
  UNION ALL
  SELECT places_before + turn, false, NULL, NULL, operation, request, answer, ${outcomeWith({})} FROM known
  UNION ALL
  -- Who comes second for a pet in this batch finds it held by the first.
  SELECT places_before + turn, false, coalesce(refusal, 'pet_not_available'), CASE WHEN refusal IS NULL THEN 'pending' ELSE pet_status END,
         NULL, NULL, NULL, ${outcomeWith({ ...holder, expires_at: 'coalesce(placed.expires_at, holder.expires_at)' })}
  FROM judged
  LEFT JOIN (SELECT id, pet_id, expires_at FROM placed) AS placed USING (pet_id)
  LEFT JOIN LATERAL (
    SELECT id, expires_at FROM orders WHERE orders.pet_id = judged.pet_id AND orders.${HOLDS} LIMIT 1
  ) AS holder ON true
  WHERE turn NOT IN (SELECT turn FROM placed);
END $$;
`
}
