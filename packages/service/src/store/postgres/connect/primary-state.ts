// Which host is the primary, and whether it can be used. Only this class changes that. Each change is reported with its
// reason.

import { StartError } from '../../../domain/start-error.ts'
import { PRIMARY_CHANGES, type PrimaryChange, type StoreOptions } from '../../../domain/store.ts'
import { monotonicMs, startTimer } from '../../../system/runtime.ts'
import { observe } from '../../shared/group-commit.ts'
import { describeHost, type PostgresAddress } from '../address.ts'
import { codeOf, isLost, StoreFailure } from './errors.ts'
import { type Check, HostConnections } from './host-connections.ts'
import { isSameHost, type WritableHost, writableHost } from './hosts.ts'
import { CONNECT_TIMEOUT_MS, RIVAL_WAIT_MS, withTimeout } from './time-limits.ts'

/** The pause after a failed search for the primary. Calls in between fail immediately with the same error. */
const LOOK_AGAIN_MS = 100
/** How long a call waits for the connections. */
const READY_WAIT_MS = 500
/** After this long without a response, all hosts are probed before the current one is used again. */
export const QUIET_MS = 1_000
const SEARCH_EVERY_MS = 10_000

/**
 * `opening`: its check or its first commit has not ended. `blocked`: `late` transactions still run since the monotonic
 * time `since`, although their callers already got an error, for example without the standby.
 */
type State =
  | { readonly name: 'searching' | 'closed'; readonly connections?: undefined }
  | { readonly name: 'opening' | 'ready'; readonly connections: HostConnections }
  | { readonly name: 'blocked'; readonly connections: HostConnections; readonly since: number; readonly late: number }

export class PrimaryState {
  private state: State = { name: 'searching' }
  /** The search whose connections are in use, or the one in progress. */
  private connecting: Promise<HostConnections> | undefined
  /** The number of the newest search, the only one that can change the host. */
  private newest = 0
  /** The latest timeline used. A host on an earlier one lacks its commits and would assign its ids again. */
  private timeline = ''
  /**
   * Whether a host has responded too late for the last search, and must not be ignored. The next search waits for all.
   */
  private isDivided = false
  private searchedAt = 0
  /** The monotonic time of the host's last response; `undefined` during a search. */
  private answeredAt: number | undefined
  private notOpened = 0
  private readonly changes = Object.fromEntries(PRIMARY_CHANGES.map((reason) => [reason, 0])) as Record<
    PrimaryChange,
    number
  >

  constructor(
    private readonly address: PostgresAddress,
    private readonly check: Check,
    private readonly options: Pick<StoreOptions, 'onConnectionFailure' | 'onPrimaryChange'>,
  ) {}

  get pool() {
    const none = { size: this.address.connections, busy: 0, waiting: 0 }
    return { ...(this.state.connections?.readers.state ?? none), failures: this.notOpened, changes: this.changes }
  }

  isBlocked(connections: HostConnections): boolean {
    return this.state.name === 'blocked' && this.state.connections === connections
  }

  /** Concurrent calls share one search for the host and its error. */
  connected(): Promise<HostConnections> {
    if (this.state.name === 'closed') return Promise.reject(new StoreFailure('CLOSED', 'the store is closed'))
    const { answeredAt } = this
    const isServing = answeredAt !== undefined && this.address.hosts.length > 1
    if (isServing && monotonicMs() - this.searchedAt > SEARCH_EVERY_MS) this.searchAgain()
    // If a host was frozen and replaced, it resumes as if nothing had happened. A server that uses it constantly
    // notices the freeze; an idle server must probe the other hosts.
    const isQuiet = isServing && monotonicMs() - answeredAt > QUIET_MS
    if (this.connecting && !isQuiet) return this.connecting
    const connecting = this.look(++this.newest)
    this.connecting = connecting
    const forget = () => {
      if (this.connecting === connecting) this.connecting = undefined
    }
    connecting.catch(() => startTimer(forget, LOOK_AGAIN_MS))
    return connecting
  }

  /** Call it after each response on these connections. */
  answered(connections: HostConnections): void {
    if (this.answeredAt && this.state.connections === connections) this.answeredAt = monotonicMs()
  }

  /** Closes these connections if they are in use. The next call searches for the primary. */
  discard(connections: HostConnections, reason: PrimaryChange): void {
    if (this.state.connections !== connections) return
    this.connecting = undefined
    this.release(connections, reason)
  }

  renew(): void {
    if (this.state.connections) this.discard(this.state.connections, 'renewed')
  }

  /** Other writes are rejected until this one has ended. If its outcome remains unknown, all connections are closed. */
  blockUntilSettled(connections: HostConnections, writing: Promise<unknown>): void {
    const { state } = this
    if (state.connections !== connections) return
    if (state.name === 'blocked') this.state = { ...state, late: state.late + 1 }
    else this.change('late_commit', { name: 'blocked', connections, since: monotonicMs(), late: 1 })
    const unblock = () => this.unblock(connections)
    connections.late(writing).then(unblock, (error) => (isLost(error) ? this.discard(connections, 'lost') : unblock()))
  }

  async close(): Promise<void> {
    await this.connecting?.catch(() => {})
    const { connections } = this.state
    this.change('closed', { name: 'closed' })
    await connections?.close()
  }

  /** Resolves with the connections of the newest search, for each caller. */
  private async look(search: number): Promise<HostConnections> {
    this.answeredAt = undefined
    const host = await this.search(search)
    if (search !== this.newest) return this.connected()
    const connections = this.install(host)
    await withTimeout(READY_WAIT_MS, connections.ready, 'NOT_READY', 'the first commit runs').catch(async (error) => {
      throw codeOf(error) === 'NOT_READY' ? await connections.whyLate() : error
    })
    this.confirm(search, connections)
    return connections
  }

  /** Discards the current host if no host can be used because two accept writes. */
  private async search(search: number): Promise<WritableHost> {
    this.searchedAt = monotonicMs()
    const { connections } = this.state
    try {
      const host = await writableHost(this.address, {
        used: connections?.host,
        rivalWaitMs: this.isDivided ? 2 * CONNECT_TIMEOUT_MS : RIVAL_WAIT_MS,
        onLate: (late) => this.discardFor(late),
      })
      if (search === this.newest) this.isDivided = false
      return host
    } catch (error) {
      if (error instanceof StartError && search === this.newest) {
        this.isDivided = true
        if (connections) this.discard(connections, 'divided')
      }
      throw error
    }
  }

  /**
   * In the background, because a server that uses its connections constantly would not notice another primary. Its
   * result is never used, and only discards the current host.
   */
  private searchAgain(): void {
    this.search(this.newest).then(
      (host) => this.discardFor(host),
      () => {},
    )
  }

  /** Discards the current host if another server accepts writes on its timeline or a later one. */
  private discardFor(host: WritableHost): void {
    const { connections } = this.state
    if (!connections || host.timeline < connections.host.timeline || isSameHost(host, connections.host)) return
    this.isDivided = true
    this.discard(connections, host.timeline === connections.host.timeline ? 'divided' : 'replaced')
  }

  /** Uses the host that the newest search has found, with new connections unless it is the same one. */
  private install(host: WritableHost): HostConnections {
    if (this.state.name === 'closed') throw new StoreFailure('CLOSED', 'the store is closed')
    this.refuseEarlier(host)
    const current = this.state.connections
    if (current && isSameHost(current.host, host)) return current
    if (current) this.release(current, 'replaced')
    const check = this.timeline === '' ? async () => {} : this.check
    const connections = new HostConnections(this.address, host, check, {
      lost: (reason) => this.discard(connections, reason),
      notOpened: (error) => {
        this.notOpened++
        this.options.onConnectionFailure?.(error)
      },
    })
    this.change('found', { name: 'opening', connections })
    return connections
  }

  /** A search that took long may have been replaced, with its connections. */
  private confirm(search: number, connections: HostConnections): void {
    if (search !== this.newest || this.state.connections !== connections) {
      throw new StoreFailure('REPLACED', 'a newer search for the primary has replaced this one')
    }
    this.answeredAt = monotonicMs()
    this.timeline = connections.host.timeline
    if (this.state.name === 'opening') this.change('ready', { name: 'ready', connections })
  }

  private unblock(connections: HostConnections): void {
    const { state } = this
    if (state.name !== 'blocked' || state.connections !== connections) return
    if (state.late > 1) this.state = { ...state, late: state.late - 1 }
    else this.change('settled', { name: 'ready', connections }, monotonicMs() - state.since)
  }

  private release(connections: HostConnections, reason: PrimaryChange): void {
    this.answeredAt = undefined
    this.change(reason, { name: 'searching' })
    void connections.close()
  }

  private change(reason: PrimaryChange, state: State, blockedMs?: number): void {
    const host = (state.connections ?? this.state.connections)?.host
    this.state = state
    this.changes[reason]++
    observe(() => this.options.onPrimaryChange?.({ reason, host: host && describeHost(host), blockedMs }))
  }

  private refuseEarlier(host: WritableHost): void {
    const { timeline } = host
    if (timeline >= this.timeline) return
    const [found, used] = [timeline, this.timeline].map((hexadecimal) => Number.parseInt(hexadecimal, 16))
    throw new StoreFailure(
      'TIMELINE',
      `${describeHost(host)} is on timeline ${found}, but this server has used timeline ${used}, whose commits are missing. Check which host must be the primary. To continue without these commits, restart this server.`,
    )
  }
}
