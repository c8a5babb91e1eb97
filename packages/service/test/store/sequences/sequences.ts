// Random sequences of commands on an empty store: concurrent calls, restarts, clock changes, sweeps and lists. Equal
// seeds give equal sequences. fast-check shortens a failing sequence and prints it with its seed.

import { spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { machineLoad } from '../../../../../test/support/load.ts'
import {
  type EventType,
  EXPIRY_DAYS_MAX,
  ORDER_STATUSES,
  PET_STATUSES,
  TEXT_LENGTH_MAX,
} from '../../../../contract/src/generated.ts'
import { type RequestedTransition, TRANSITIONS, type TransitionTo } from '../../../src/domain/order-transitions.ts'
import { type Beside, type Call, METHODS, type Place, World } from './world.ts'

type Command = fc.AsyncCommand<World, World>

/** `npm run endurance -- sequences` chooses them. */
const { SEQUENCES_SEED, SEQUENCES_TIMES = '1' } = process.env
const TIMES = Number(SEQUENCES_TIMES)
const TIME_LIMIT_MS = 45_000 * TIMES * machineLoad()
/** A busy machine runs fewer sequences, but never less than this part. */
const PART_MIN = 1 / 4

/** `withPlace` creates a place for each run. `length` is the maximum number of commands per run. */
export function sequences(
  name: string,
  withPlace: (use: (place: Place) => Promise<void>) => Promise<void>,
  { seed, runs, length }: { seed: number; runs: number; length: number },
): void {
  test(
    `${name} gives the model's results in random sequences`,
    async () => {
      const run = (sequence: Iterable<Command>) =>
        withPlace(async (place) => {
          const world = await World.open(place)
          try {
            await fc.asyncModelRun(() => ({ model: world, real: world }), sequence)
            await world.expectAll()
          } finally {
            await world.close()
          }
        })
      const anySequence = fc.commands(COMMANDS, { maxCommands: length, size: 'max' })
      const warned = spyOn(process, 'emitWarning').mockImplementation(() => undefined)
      try {
        const details = await fc.check(fc.asyncProperty(anySequence, run), {
          seed: Number(SEQUENCES_SEED ?? seed),
          numRuns: runs * TIMES,
          // The limit also applies to shortening.
          interruptAfterTimeLimit: TIME_LIMIT_MS,
          includeErrorInReport: true,
        })
        if (details.failed) throw new Error(fc.defaultReportMessage(details))
        if (details.numRuns < runs * TIMES * PART_MIN)
          throw new Error(`Only ${details.numRuns} of ${runs * TIMES} sequences ran.`)
      } finally {
        warned.mockRestore()
      }
    },
    TIME_LIMIT_MS + 15_000 * machineLoad(),
  )
}

type Draft = (world: World) => Omit<Call, 'server'>
type All<Given extends unknown[]> = { [At in keyof Given]: fc.Arbitrary<Given[At]> }

const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const seldom = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, arbitrary)
const oneOf = fc.constantFrom

/** A call. Its ids and times are chosen when it is sent. */
function call<Given extends unknown[]>(
  given: All<Given>,
  make: (world: World, ...given: Given) => ReturnType<Draft>,
): fc.Arbitrary<Draft> {
  return fc.tuple<Given>(...given).map((all) => (world) => make(world, ...all))
}

/** A command that prints its calls and results. */
function command<Given extends unknown[]>(
  given: All<Given>,
  run: (world: World, say: (what: string) => void, ...given: Given) => Promise<unknown>,
): fc.Arbitrary<Command> {
  const commandOf = (all: Given): Command & fc.WithCloneMethod<Command> => {
    const said: string[] = []
    return {
      check: () => true,
      async run(world) {
        const result = await run(world, (what) => said.push(what), ...all)
        if (result !== undefined) said.push(`  → ${result}`)
      },
      toString: () => `\n${said.join('\n')}`,
      [fc.cloneMethod]: () => commandOf(all),
    }
  }
  return fc.tuple<Given>(...given).map(commandOf)
}

const print = (value: unknown) => Bun.inspect(value, { compact: true })
const lines = (calls: readonly Call[]) =>
  calls.map(({ method, args, check, server }) => {
    return `\n  server ${server}: ${method}(${args.map(print).join(', ')})${check ? `, and its caller ${check}` : ''}`
  })

const MAX = 2n ** 63n - 1n
const DAY_MS = 86_400_000
const DAYS_MS = EXPIRY_DAYS_MAX * DAY_MS
const HOSTILE = [
  ...['Mia "é" \u{1F436}', 'rex Luna', ' x ', 'e\u0301', 'NULL', '},{"id":7,"name":', "'; --", '{1,2}', ',', '\\'],
  ...['\\"', '\\u0000', '\u007f\u2028\u0001\n', '\ud83d\udc36', '\u{1F436}'.repeat(TEXT_LENGTH_MAX)],
]
const ANY_TEXT = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .filter((text) => /^\s*[^\s\0][^\0]*$/u.test(text))
const TEXT = fc.oneof(oneOf('Rex', 'Luna', 'Ada'), oneOf('Rex', ...HOSTILE), ANY_TEXT)
const SEARCH = oneOf('re', 'LUNA', 'ada rex', 'mia e', 'x', '7')
const CATEGORY = oneOf(7n, 7n, 8n, -5n, 0n, 2n ** 53n + 1n, MAX, -(2n ** 63n))
const STATUS = oneOf(...PET_STATUSES)
const PET = { name: TEXT, categoryId: CATEGORY, status: STATUS }
const NEW_PET = fc.record({ ...PET, status: fc.oneof({ weight: 3, arbitrary: fc.constant('available') }, STATUS) })
/** The time until a reservation ends. */
const IN_MS = oneOf(-1, 0, 1, 2, 20, 500, 3_600_000, DAYS_MS, DAYS_MS + 1)
const CHECK = oneOf(undefined, undefined, 'accepts', 'refuses')
const KEY = optional(oneOf('a', 'b', 'A', 'b '))
/** The index of an API key: mostly one without an end. */
const BY = oneOf(0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 4)
const PICK = fc.noBias(fc.nat(15))
const ANY = optional(fc.nat(1_000))

const CALL = fc.oneof(
  call([NEW_PET, BY, KEY], (world, pet, by, key) => ({ method: 'createPet', args: [pet, world.key(by), key] })),
  ...[KEY, KEY].map((key) =>
    call([PICK, optional(TEXT), optional(IN_MS), BY, key], (world, pick, reference, inMs, by, key) => {
      const expiresAt = inMs === undefined ? undefined : world.end(inMs)
      const order = { petId: world.pet(pick, 'available'), reference, expiresAt }
      return { method: 'placeOrder', args: [order, world.key(by), key] }
    }),
  ),
  ...(Object.keys(METHODS) as RequestedTransition[]).map((to) =>
    call([PICK, BY, CHECK], (world, pick, by, check) => {
      return { method: METHODS[to], args: [world.order(pick, TRANSITIONS[to].from[0]), world.key(by)], check }
    }),
  ),
  call(
    [PICK, optional(fc.option(TEXT)), optional(fc.option(IN_MS)), BY, CHECK],
    (world, pick, reference, inMs, by, check) => {
      const change = { reference, expiresAt: typeof inMs === 'number' ? world.end(inMs) : inMs }
      return { method: 'updateOrder', args: [world.order(pick, 'pending'), change, world.key(by)], check }
    },
  ),
  call([PICK, fc.record(PET, { requiredKeys: [] }), BY, CHECK], (world, pick, change, by, check) => {
    return { method: 'updatePet', args: [world.pet(pick, 'pending'), change, world.key(by)], check }
  }),
  call([PICK, BY, CHECK], (world, pick, by, check) => {
    return { method: 'deletePet', args: [world.pet(pick, 'available'), world.key(by)], check }
  }),
  call([fc.nat(), optional(BY)], (world, pick, by) => {
    const first = [{ name: 'Rex', categoryId: 7n, status: 'available' }, world.key(0), 'a']
    return world.again(pick, by) ?? { method: 'createPet', args: first }
  }),
)
const CALLS = fc.array(fc.tuple(fc.nat(1), CALL), { minLength: 1, maxLength: 8 })
/** More rows than one INSERT statement has. */
const MANY = Array.from({ length: 34 }, (_, n) => n + 1)

const BESIDE = oneOf<Beside[]>(undefined, undefined, 'a reader', 'a new API key', 'the servers close')
const BATCH = command([CALLS, BESIDE], (world, say, drafts, beside) => {
  const calls = drafts.map(([server, draft]) => ({ ...draft(world), server: world.serverOf(server) }))
  say(`together${beside ? ` beside ${beside}` : ''}:${lines(calls).join('')}`)
  return world.batch(calls, beside)
})
const MANY_CALLS = command([oneOf(...Object.values(METHODS)), fc.boolean()], async (world, say, method, renames) => {
  const send = (part: (n: number) => Omit<Call, 'server'>, numbers = MANY) =>
    world.batch(numbers.map((n) => ({ ...part(n), server: 0 })))
  const [by, last] = [world.key(0), world.last()]
  const pet = (n: number) => last.pet + BigInt(n)
  say(`${MANY.length} pets, ${renames ? 'renamed, ' : ''}and their orders, then ${method} of the first half`)
  await send(() => ({ method: 'createPet', args: [{ name: 'Rex', categoryId: 7n, status: 'available' }, by] }))
  await send((n) => {
    const expiresAt = n % 2 ? undefined : world.end(n * 1_000)
    return { method: 'placeOrder', args: [{ petId: pet(n), reference: 'Ada', expiresAt }, by] }
  })
  if (renames) await send((n) => ({ method: 'updatePet', args: [pet(n), { name: 'Luna' }, by] }))
  const half = MANY.slice(0, MANY.length / 2)
  await send((n) => ({ method, args: [last.order + BigInt(n), by] }), half)
})
const CLOCK = command([oneOf(1, 1, 2, 20, 500, 3_600_000, -1, -500, undefined)], (world, say, ms) => {
  say(`the clock moves ${ms === undefined ? 'to the end of a reservation' : `by ${ms} ms`}`)
  return world.moveClock(ms ?? world.toNextEnd())
})
const PASS = command([oneOf(DAY_MS / 4, DAY_MS / 4, DAY_MS, 9 * DAY_MS)], (world, say, ms) => {
  say(`${ms / DAY_MS} days pass`)
  return world.pass(ms)
})
const AHEAD = command([oneOf(0, 500, -500, 3_600_000, 2 * DAY_MS, -2 * DAY_MS)], (world, say, ms) => {
  say(`the clock of server 1 is ${ms} ms ahead`)
  return world.setAhead(ms)
})
const LIMITS = fc.array(oneOf(1, 2, 3, 100), { minLength: 1, maxLength: 3 })
const EXPIRE = command([LIMITS, fc.boolean()], async (world, say, limits, atEnd) => {
  if (atEnd) await world.moveClock(world.toNextEnd())
  say(`sweeps of at most ${limits.join(', ')} together${atEnd ? ', when the next reservation ends' : ''}`)
  return world.expire(limits)
})
const END_KEY = command([optional(oneOf(0, 20, 500))], (world, say, inMs) => {
  say(`the last API key ${inMs === undefined ? 'is revoked' : `ends in ${inMs} ms`}`)
  return world.endKey(inMs)
})

const PAGE = { limit: oneOf(1, 2, 3, 20, 21, 100), sort: oneOf('oldest', 'newest') }
/** How many ids a page begins before the last `limit` ids. */
const EARLIER = oneOf(-1n, 0n, 0n, 0n, 1n, 2n, 7n, 2n ** 62n, -MAX)
const LIST = fc
  .tuple(fc.record({ ...PAGE, search: seldom(SEARCH) }), optional(fc.record({ earlier: EARLIER, back: fc.boolean() })))
  .map(([filter, place]) => (last: bigint) => {
    const after = last - BigInt(filter.limit) - (place?.earlier ?? 0n)
    return place ? { ...filter, after: after > MAX ? MAX : after, back: place.back } : filter
  })
const TYPES = oneOf<EventType[]>(
  ...(['pet.added', 'pet.changed', 'pet.deleted', 'order.placed', 'order.changed'] as const),
  ...(Object.keys(TRANSITIONS) as TransitionTo[]).map((to) => `order.${to}` as const),
)
const FEED = fc.record({ ...PAGE, type: optional(fc.uniqueArray(TYPES, { minLength: 1, maxLength: 3 })) })

/** Reads several lists, one after the other. */
const looks = <Given extends unknown[]>(
  given: All<Given>,
  look: (world: World, say: (what: string) => void, ...given: Given) => Promise<void>,
) =>
  command(
    [fc.array(fc.tuple<Given>(...given), { minLength: 1, maxLength: 8, size: 'max' })],
    async (world, say, all) => {
      for (const one of all) await look(world, say, ...one)
    },
  )
const PETS = looks([LIST, seldom(STATUS), seldom(CATEGORY)], (world, say, page, status, categoryId) => {
  const filter = { ...page(world.last().pet), status, categoryId }
  say(`list pets: ${print(filter)}`)
  return world.expectPets(filter)
})
const SOME = optional(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 4 }))
const ORDERS = looks([LIST, seldom(oneOf(...ORDER_STATUSES)), SOME], (world, say, page, status, pets) => {
  const petIds = pets && [...new Set(pets.map((pet) => world.anyPet(pet)))]
  const ofPets = petIds?.length === 1 ? { petId: petIds[0] } : { petIds }
  const filter = { ...page(world.last().order), status, petId: undefined, petIds: undefined, ...ofPets }
  say(`list orders: ${print(filter)}`)
  return world.expectOrders(filter)
})
const EVENTS = looks(
  [FEED, fc.boolean(), ANY, ANY, ANY, ANY, ANY],
  (world, say, page, isNow, pet, order, from, to, after) => {
    const filter = {
      ...page,
      petId: pet === undefined ? undefined : world.anyPet(pet),
      orderId: order === undefined ? undefined : world.anyOrder(order),
      from: from === undefined ? (isNow ? 'now' : 'beginning') : world.time(from),
      to: to === undefined ? undefined : world.time(to),
    } as const
    const count = after === undefined ? undefined : world.eventCount(after)
    say(`list events behind ${count ?? 'none'}: ${print(filter)}`)
    return world.expectEvents(filter, count)
  },
)

const often = <Value>(value: Value, times: number) => Array.from({ length: times }, () => value)
const COMMANDS = [
  ...[...often(BATCH, 12), MANY_CALLS, PASS, AHEAD, ...often(CLOCK, 3), ...often(EXPIRE, 2), END_KEY],
  ...[PETS, PETS, ORDERS, ORDERS, EVENTS, EVENTS],
]
