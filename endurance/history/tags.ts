// Checks entity tags: on all servers and at all times, the same tag means the same bytes and the same bytes have the same tag.

import { isUnanswered, type Operation, type Tagged, tagsOf, thingOf } from './operations.ts'

const TAGGED = /^(list|inventory|pet|order|add|correct|place|change|complete|return)$/

export class Tags {
  private readonly byTag = new Map<string, Operation>()
  private readonly byBytes = new Map<string, Operation>()
  readonly faults: { operation: Operation; reason: string; other?: Operation }[] = []

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      if (isUnanswered(operation) || operation.status >= 400 || !TAGGED.test(operation.ask.kind)) continue
      const reason = conditionFault(operation)
      if (reason) this.faults.push({ operation, reason })
      if (operation.method !== 'HEAD') this.compare(operation)
    }
  }

  private compare(operation: Operation): void {
    const { tag, text } = operation
    if (tag === undefined) return
    const links = linksOf(operation)
    const resource = resourceOf(operation)
    const sameTag = keep(this.byTag, `${resource} ${tag}`, operation)
    if (sameTag.text !== text || linksOf(sameTag) !== links)
      this.faults.push({ operation, other: sameTag, reason: 'its tag belonged to other bytes' })
    const sameBytes = keep(this.byBytes, `${resource} ${text} ${links}`, operation)
    if (sameBytes.tag !== tag)
      this.faults.push({ operation, other: sameBytes, reason: 'the same bytes had a different tag' })
  }

  /** Returns the body of a GET with the operation's tag, if there was one. */
  bodyOf(operation: Operation): Tagged | undefined {
    const found = this.byTag.get(`${resourceOf(operation)} ${operation.tag}`)
    return found && { tag: operation.tag ?? '', text: found.text, links: found.links }
  }
}

function keep(kept: Map<string, Operation>, name: string, operation: Operation): Operation {
  const first = kept.get(name) ?? operation
  kept.set(name, first)
  return first
}

/** Links are part of the tag only for lists, because other links never change. */
function linksOf({ ask, links }: Operation): string {
  return ask.kind === 'list' ? links : ''
}

/** The resource of the response: a change responds with the same bytes as a GET. */
function resourceOf({ ask, path, text }: Operation): string {
  if (ask.kind !== 'add' && ask.kind !== 'place') return thingOf(ask) ?? path
  return `${ask.kind === 'add' ? 'pet' : 'order'} ${/"id":(\d+)/.exec(text)?.[1]}`
}

function conditionFault({ status, tag, ifNoneMatch }: Operation): string | undefined {
  if (tag === undefined) return 'it has no tag'
  if (status === 304 && !ifNoneMatch) return 'the request had no tag'
  if (!ifNoneMatch) return undefined
  return (status === 304) === ifNoneMatch.some((one) => one.tag === tag)
    ? undefined
    : `${status} with the tag ${tag}, but the request sent ${tagsOf(ifNoneMatch)}`
}
