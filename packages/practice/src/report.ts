// The report: which lessons clients kept or missed, according to the record.

import type { JudgedLesson, Report } from '../../testing/testing.ts'
import { authorizationOf } from './contract-faults/shared/requests.ts'
import type { Exchange, Recorder } from './exchange.ts'
import { History, type Judge, type Lesson, type Lessons } from './history.ts'
import { PAGE_LESSONS } from './lessons/pages.ts'
import { RETRY_LESSONS } from './lessons/retries.ts'
import { STATE_LESSONS } from './lessons/state.ts'
import { VALUE_LESSONS } from './lessons/values.ts'
import { WAIT_LESSONS } from './lessons/waits.ts'

const EVIDENCE_MAX = 10

/** `now` is on the same clock as the exchanges. */
export function reportOf({ exchanges, unrecorded }: Pick<Recorder, 'exchanges' | 'unrecorded'>, now: number): Report {
  // Each API key counts as one client.
  const byKey = Map.groupBy(exchanges, authorizationOf)
  const histories = Array.from(byKey.values(), (sent) => new History(sent, now))
  return {
    unrecorded,
    requests: exchanges.map((exchange) => {
      const { number, method, target } = exchange
      return { number, method, target, answer: answerOf(exchange) }
    }),
    lessons: Object.entries(LESSONS).map(([id, lesson]) => judged(id, lesson, histories)),
  }
}

function judged(id: string, { sentence, advice, judge }: Lesson, histories: readonly History[]): JudgedLesson {
  const seen: Record<'kept' | 'missed', number[]> = { kept: [], missed: [] }
  for (const history of histories) {
    const keeps: Judge = judge(history)
    for (const exchange of history.exchanges) {
      const isKept = keeps(exchange)
      if (isKept !== undefined) seen[isKept ? 'kept' : 'missed'].push(exchange.number)
    }
  }
  const outcome = seen.missed.length > 0 ? 'missed' : seen.kept.length > 0 ? 'kept' : 'unknown'
  const evidence = outcome === 'unknown' ? [] : seen[outcome].sort((one, other) => one - other).slice(0, EVIDENCE_MAX)
  return { id, sentence, outcome, evidence, ...(outcome === 'missed' ? { advice } : {}) }
}

function answerOf(exchange: Exchange): Report['requests'][number]['answer'] {
  if (exchange.isLost) return 'lost'
  if (exchange.hasLeft) return 'left'
  return exchange.endedAt === undefined ? 'waiting' : (exchange.response?.status ?? 'waiting')
}

export const LESSONS: Lessons = {
  ...RETRY_LESSONS,
  ...WAIT_LESSONS,
  ...PAGE_LESSONS,
  ...VALUE_LESSONS,
  ...STATE_LESSONS,
}
