// The typed client: the contract's operations over `fetch`, for browsers, Node, Bun and Deno. Ids, categories and
// counts are exact bigints. Times are text, as in the contract.

import {
  type Inventory,
  type NewOrder,
  type NewPet,
  type Operations,
  type Order,
  type OrderChange,
  PAGE_MAX,
  type PetChange,
} from '../../contract/src/generated.ts'
import { type Json, stringifyJson } from '../../contract/src/json.ts'
import { type PetstoreApiError, PetstoreUncertainError } from './errors.ts'
import { type EventPage, eventReader, type Followed, type FollowOptions, followEach } from './events.ts'
import { quotedKey, randomKey } from './idempotency-key.ts'
import { type Cursors, type List, readPage, type TotalOptions } from './pages.ts'
import { type Pet, readJson, toEvent, toInventory, toOrder, toPet } from './responses.ts'
import { type CallOptions, type PetstoreClientOptions, Sender } from './sender.ts'

export interface TagOptions extends CallOptions {
  /** Called with the ETag of the response, if it has one, for use as `ifMatch`. */
  onEntityTag?: ((tag: string) => void) | undefined
}

export interface CreateOptions extends TagOptions {
  /**
   * Creates with the same key are carried out once, for at least 24 hours. 1 to 255 printable ASCII characters.
   * Default: random.
   */
  idempotencyKey?: string | undefined
  /** Called if an earlier call with the same key had already succeeded. */
  onReplayed?: (() => void) | undefined
}

export interface ChangeOptions extends CallOptions {
  /** Only makes the change if the ETag is still the same. Otherwise rejects with `precondition_failed`. */
  ifMatch?: string | undefined
}

/** The parameters of a list in the contract. `limit` is the page size, 1 to 100. */
type Filter<Parameters> = { [Name in Exclude<keyof Parameters, 'cursor'>]?: Parameters[Name] | undefined }

export type PetFilter = Filter<Omit<Operations['listPets']['parameters'], 'count'>>
export type OrderFilter = Filter<Operations['listOrders']['parameters']>

export type EventFilter = Filter<Omit<Operations['listEvents']['parameters'], 'to'>> & {
  /** A date and time with an offset. */
  to?: string | undefined
}

export interface PetPage extends Cursors {
  pets: Pet[]
}

export interface OrderPage extends Cursors {
  orders: Order[]
}

type AtCursor = { cursor?: string | undefined }

/** A method for each operation. */
export class PetstoreClient implements Record<keyof Operations, unknown> {
  readonly #sender: Sender

  /** Throws TypeError if `baseUrl` or `apiKey` is invalid. */
  constructor(options: PetstoreClientOptions) {
    this.#sender = new Sender(options)
  }

  /** Yields every pet once, oldest first or as `sort` says. Fetches pages as needed; `limit` is the page size. */
  listPets(filter: PetFilter = {}, options: CallOptions = {}): AsyncGenerator<Pet, void, undefined> {
    return this.#all(PETS, filter, options)
  }

  /** Resolves with the first page, or the page at `cursor`, which needs the same filter and order. */
  async listPage(filter: PetFilter & AtCursor = {}, options: CallOptions & TotalOptions = {}): Promise<PetPage> {
    const { items, ...cursors } = await readPage(this.#sender, PETS, filter, options)
    return { pets: items, ...cursors }
  }

  /** Resolves when the pet is durable. Retries do not add it twice. */
  createPet(pet: NewPet, options: CreateOptions = {}): Promise<Pet> {
    return this.#create('createPet', '/pets', pet, toPet, options)
  }

  /**
   * Rejects with PetstoreApiError `not_found` if there is no such pet.
   * @deprecated The service removes this on 5 December 2030. List with `status` instead.
   */
  async getPet(id: bigint, options: TagOptions = {}): Promise<Pet> {
    return this.#read('getPet', petPath(id), toPet, options)
  }

  /**
   * Changes the given fields, and resolves with the changed pet. After a lost response, only a call with `ifMatch` is
   * retried. Without it, a retry could undo another client's change, so the call rejects with PetstoreUncertainError.
   * Rejects with PetstoreApiError `not_found`, `pet_held` (an order holds the pet), `invalid_pet` or
   * `precondition_failed`.
   */
  async updatePet(
    id: bigint,
    change: PetChange,
    { ifMatch, ...options }: ChangeOptions & TagOptions = {},
  ): Promise<Pet> {
    return this.#read('updatePet', petPath(id), toPet, options, changing('PATCH', ifMatch, change))
  }

  /**
   * Deletes a pet that was never ordered. Safe to repeat. Rejects with PetstoreApiError `pet_has_orders`,
   * `precondition_failed` or, unless the response to an earlier attempt was lost, `not_found`.
   */
  async deletePet(id: bigint, { ifMatch, ...options }: ChangeOptions = {}): Promise<void> {
    try {
      await this.#sender.send('deletePet', petPath(id), changing('DELETE', ifMatch), options)
    } catch (error) {
      // An earlier attempt or another client deleted it.
      const { cause } = error as { cause?: Partial<PetstoreApiError> }
      if (!(error instanceof PetstoreUncertainError) || cause?.code !== 'not_found') throw error
    }
  }

  /**
   * Reserves a pet. Resolves when the order is durable. Retries do not place it twice.
   * Rejects with PetstoreApiError `pet_not_available`, `pet_not_found` or `invalid_order`.
   */
  placeOrder(order: NewOrder, options: CreateOptions = {}): Promise<Order> {
    return this.#create('placeOrder', '/store/orders', order, toOrder, options)
  }

  /** Yields every order once, oldest first or as `sort` says. Fetches pages as needed; `limit` is the page size. */
  listOrders(filter: OrderFilter = {}, options: CallOptions = {}): AsyncGenerator<Order, void, undefined> {
    return this.#all(ORDERS, filter, options)
  }

  /** Resolves with the first page, or the page at `cursor`, which needs the same filter and order. */
  async listOrderPage(filter: OrderFilter & AtCursor = {}, options: CallOptions = {}): Promise<OrderPage> {
    const { items, ...cursors } = await readPage(this.#sender, ORDERS, filter, options)
    return { orders: items, ...cursors }
  }

  /** Rejects with PetstoreApiError `not_found` if there is no such order. */
  async getOrder(id: bigint, options: TagOptions = {}): Promise<Order> {
    return this.#read('getOrder', orderPath(id), toOrder, options)
  }

  /**
   * Changes the given fields of a pending order, and resolves with the changed order. `null` removes a field. Retried
   * as `updatePet`. Rejects as `cancelOrder`, and with `invalid_order`.
   */
  async updateOrder(
    id: bigint,
    change: OrderChange,
    { ifMatch, ...options }: ChangeOptions & TagOptions = {},
  ): Promise<Order> {
    return this.#read('updateOrder', orderPath(id), toOrder, options, changing('PATCH', ifMatch, change))
  }

  /** Sells the pet. Safe to repeat. Rejects as `cancelOrder`. */
  async completeOrder(id: bigint, { ifMatch, ...options }: ChangeOptions & TagOptions = {}): Promise<Order> {
    return this.#read('completeOrder', `${orderPath(id)}/complete`, toOrder, options, changing('POST', ifMatch))
  }

  /**
   * Releases the pet. Safe to repeat. Rejects with PetstoreApiError `not_found`, `order_not_pending` or
   * `precondition_failed`.
   */
  async cancelOrder(id: bigint, { ifMatch, ...options }: ChangeOptions = {}): Promise<void> {
    await this.#sender.send('cancelOrder', orderPath(id), changing('DELETE', ifMatch), options)
  }

  /** Takes a sold pet back. Safe to repeat. Rejects as `cancelOrder`, but with `order_not_completed`. */
  async returnOrder(id: bigint, { ifMatch, ...options }: ChangeOptions & TagOptions = {}): Promise<Order> {
    return this.#read('returnOrder', `${orderPath(id)}/return`, toOrder, options, changing('POST', ifMatch))
  }

  /** Resolves with the number of pets of each status. */
  getInventory(options: CallOptions = {}): Promise<Inventory> {
    return this.#read('getInventory', '/store/inventory', toInventory, options)
  }

  /**
   * Resolves with the first page of events, or the page at `cursor`, which is valid with any filter. With `wait`, an
   * empty page is only returned after this many seconds.
   */
  async listEvents(filter: EventFilter & AtCursor = {}, options: CallOptions = {}): Promise<EventPage> {
    const { items, next } = await eventReader(this.#sender, toEvent)(filter, options)
    return { events: items, next }
  }

  /**
   * Yields each event once, in order, and then new events as they happen, until `signal` is aborted. Retries failures
   * of the service and the network without limit. If the store was restored or has lost events, starts again if
   * `onExpired` is set, and otherwise rejects with PetstoreApiError `cursor_expired`.
   */
  followEvents(options: FollowOptions = {}): AsyncGenerator<Followed, void, undefined> {
    return followEach(eventReader(this.#sender, toEvent), options)
  }

  async #read<Item>(
    operationId: string,
    path: string,
    toItem: (json: Json) => Item,
    { onEntityTag, ...options }: TagOptions,
    init: RequestInit = {},
  ): Promise<Item> {
    const { response, text } = await this.#sender.send(operationId, path, init, options)
    return tagged(readJson(response, text, toItem), response, onEntityTag)
  }

  async *#all<Item>(
    list: List<Item>,
    filter: { limit?: number | undefined },
    options: CallOptions,
  ): AsyncGenerator<Item, void, undefined> {
    let cursor: string | undefined
    do {
      const at = { ...filter, limit: filter.limit ?? PAGE_MAX, cursor }
      const { items, next } = await readPage(this.#sender, list, at, options)
      yield* items
      cursor = next
    } while (cursor !== undefined)
  }

  async #create<Item>(
    operationId: string,
    path: string,
    item: object,
    toItem: (json: Json) => Item,
    { idempotencyKey = randomKey(), onReplayed, onEntityTag, ...options }: CreateOptions,
  ): Promise<Item> {
    const headers = { ...JSON_TYPE, 'Idempotency-Key': quotedKey(idempotencyKey) }
    const init = { method: 'POST', headers, body: stringifyJson(item) }
    const { response, text, mayBeDone } = await this.#sender.send(operationId, path, init, options)
    const created = tagged(readJson(response, text, toItem), response, onEntityTag)
    // Otherwise the replayed response can belong to an earlier attempt of this call.
    if (!mayBeDone && response.headers.get('Idempotency-Replayed') === 'true') onReplayed?.()
    return created
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const PETS: List<Pet> = { operationId: 'listPets', path: '/pets', toItem: toPet }
const ORDERS: List<Order> = { operationId: 'listOrders', path: '/store/orders', toItem: toOrder }

function tagged<Item>(item: Item, { headers }: Response, onEntityTag: TagOptions['onEntityTag']): Item {
  const tag = headers.get('ETag')
  if (tag !== null) onEntityTag?.(tag)
  return item
}

function changing(method: string, ifMatch: string | undefined, change?: object): RequestInit {
  // A proxy that compresses makes the service's ETags weak, and weak ETags never match `If-Match` (RFC 9110, 13.1.1).
  const tags = ifMatch?.replaceAll('W/"', '"')
  const headers = { ...(tags !== undefined && { 'If-Match': tags }), ...(change && JSON_TYPE) }
  return { method, headers, ...(change && { body: stringifyJson(change) }) }
}

function petPath(id: bigint): string {
  return `/pets/${BigInt(id)}`
}

function orderPath(id: bigint): string {
  return `/store/orders/${BigInt(id)}`
}
