// `--from`: where to begin in the feed.

import type { Command } from 'commander'
import { instantFromText } from '../../../../contract/src/date-time.ts'
import { parsedBy } from '../options.ts'

export function withFrom(command: Command): Command {
  const description = 'where to begin: beginning, now, or a time such as 2026-11-21T00:00:00Z (default: beginning)'
  return command.option('--from <where>', description, parsedBy(parseFrom))
}

function parseFrom(text: string): string {
  if (text === 'beginning' || text === 'now' || instantFromText(text) !== undefined) return text
  throw new Error('must be beginning, now, or a date and time with an offset, such as 2026-11-21T18:00:00Z')
}
