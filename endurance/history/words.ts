// Describes faults: the requests, responses and times that contradict each other.

import type { Fault } from './checker.ts'
import type { Commit } from './commits.ts'
import { type Operation, tagsOf } from './operations.ts'

const TEXT_MAX = 300

export function inWords({ reason, operations, commits }: Fault): string {
  return [reason, ...operations.map(lineOf), ...commits.map(commitLine)].join('\n  ')
}

/** One line for a report: the operation or event, and the reason. */
export function shortly({ reason, operations, commits }: Fault): string {
  const last = operations.at(-1)
  const event = commits[0]?.event
  return `${last ? `${last.method} ${last.path}` : event ? `${event.type}, event ${event.id}` : 'the feed'}: ${reason}`
}

function lineOf(operation: Operation): string {
  const { n, client, server, key, startedAt, endedAt, status, text, replayed, links } = operation
  const times = `${startedAt.toFixed(1)} to ${Number.isFinite(endedAt) ? endedAt.toFixed(1) : 'never'} ms`
  const answer = status === 0 ? 'no answer' : `${status}${replayed ? ', a replay' : ''} ${cut(text)} ${cut(links)}`
  return `#${n}, ${times}, client ${client} with key ${key} at server ${server}: ${asked(operation)} → ${answer.trim()}`
}

function asked({ method, path, body = '', idempotencyKey, ifMatch, ifNoneMatch }: Operation): string {
  const headers = Object.entries({
    'Idempotency-Key': idempotencyKey,
    'If-Match': ifMatch && tagsOf(ifMatch),
    'If-None-Match': ifNoneMatch && tagsOf(ifNoneMatch),
  })
  const sent = headers.filter(([, value]) => value !== undefined).map((header) => header.join(': '))
  return [method, path, body, ...sent].filter((word) => word !== '').join(' ')
}

function commitLine({ version, event, askers }: Commit): string {
  const by = askers.map(({ n }) => `#${n}`).join(' or ')
  return `commit ${version}${by && ` by ${by}`}: ${JSON.stringify(event)}`
}

function cut(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text
}
