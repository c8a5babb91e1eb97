// Faults to plant in the PostgreSQL store of simulated servers, with the failures that show them.

import type { Edit } from '../bundle.ts'
import type { Failure } from './failures.ts'

const POSTGRES = 'packages/service/src/store/postgres'
const STATE = `${POSTGRES}/connect/primary-state.ts`
const PRIMARY = `${POSTGRES}/connect/primary.ts`
const HOST = `${POSTGRES}/connect/host-connections.ts`
const POOL = `${POSTGRES}/connect/pool.ts`
const SESSION = `${POSTGRES}/connect/session.ts`
const COMMITS = `${POSTGRES}/write/commits.ts`

const COMMITTED = 'const [finished] = await Promise.allSettled([this.closing, committed])\n'
const STARTED = 'return { running: Promise.try(work, item).finally(() => this.release(item)) }'
const EARLIER: readonly Failure[] = ['old primary returns']
const AWAY: readonly Failure[] = ['standby away']
const BEHIND: readonly Failure[] = ['failover without the last commits']
const CUT: readonly Failure[] = ['connection cut', 'connection frozen', 'response delayed']
const LOST: readonly Failure[] = ['response lost before the commit', 'response lost after the commit']

interface Planted {
  readonly failures: readonly Failure[]
  readonly edits: readonly Edit[]
}

const planted = (failures: readonly Failure[], ...edits: readonly Edit[]): Planted => ({ failures, edits })

export const IN_POSTGRES: Readonly<Record<string, Planted>> = {
  'a timeline that is not compared': planted(EARLIER, [STATE, 'if (timeline >= this.timeline) return', 'return']),
  'a fence that is skipped': planted(BEHIND, [HOST, 'this.fence().then(() => ', 'Promise.resolve().then(() => ']),
  'a late commit that unblocks writes too early': planted(AWAY, [
    STATE,
    'connections.late(writing).then(',
    'Promise.resolve().then(',
  ]),
  'a late commit that blocks no writes': planted(AWAY, [
    PRIMARY,
    'writes && this.state.isBlocked(connections)',
    'writes && !work',
  ]),
  'reads that use the connections for writes': planted(AWAY, [
    PRIMARY,
    "this.run('readers', (session) => session.query(",
    "this.run('writers', (session) => session.query(",
  ]),
  'background writes that wait for the standby': planted(AWAY, [
    PRIMARY,
    "beginWith({ synchronous_commit: 'local' })",
    'beginWith()',
  ]),
  'a failed transaction that is not rolled back': planted(AWAY, [
    SESSION,
    "await this.run('ROLLBACK').catch(() => {})\n",
    '',
  ]),
  'a pool that hands out a connection twice': planted(CUT, [
    POOL,
    '    else this.free.push(item)\n',
    '    this.free.push(item)\n',
  ]),
  'a connection that is free before its work ends': planted(CUT, [
    POOL,
    STARTED,
    'this.release(item)\nreturn { running: Promise.try(work, item) }',
  ]),
  'a connection that is never free after an error': planted(AWAY, [
    POOL,
    STARTED,
    'const running = Promise.try(work, item)\nrunning.then(() => this.release(item), () => {})\nreturn { running }',
  ]),
  'a lost response that is reported as not done': planted(LOST, [
    COMMITS,
    "return isLost(error) && outcomeOf(error) !== 'moved'\n",
    "return codeOf(error) === ''\n",
  ]),
  'a lost response that is reported as done': planted(LOST, [
    SESSION,
    COMMITTED,
    `${COMMITTED}if (!(await committed.catch(() => undefined))) return worked.value\n`,
  ]),
  'commits that do not wait for the standby': planted(AWAY, [SESSION, '[WAIT_FOR_STANDBY, ...set(', '[...set(']),
  'changes that wait for no standby': planted(AWAY, [
    COMMITS,
    'lock_timeout: 0,',
    "lock_timeout: 0, synchronous_commit: 'local',",
  ]),
  'commits without changes that do not wait for the standby': planted(BEHIND, [
    SESSION,
    "pg_logical_emit_message(true, 'petstore', '')",
    "'0/0'::pg_lsn",
  ]),
  'a cancelled wait that counts as replicated': planted(
    ['wait cancelled'],
    [HOST, 'this.cancelledWaits > cancelledWaits', 'this.cancelledWaits < 0'],
  ),
  'a lock that is not taken': planted([], [COMMITS, '[TAKE_WRITE_LOCK, `set_config', '[`set_config']),
  'connections that stay open after one is lost': planted(CUT, [STATE, '    void connections.close()\n', '']),
  'a response that can take forever': planted(
    ['connection frozen'],
    [PRIMARY, 'await inTime(running)', 'await running'],
  ),
}
