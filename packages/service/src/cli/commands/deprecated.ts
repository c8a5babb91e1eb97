// `petstore deprecated`: which API keys still call deprecated operations.

import { Command } from 'commander'
import { configOf, withSettings } from '../../terminal/options.ts'
import { grouped, printLines, write } from '../../terminal/print.ts'
import { table, time } from '../../terminal/table.ts'
import { withStore } from '../with-store.ts'

export function deprecatedCommand(): Command {
  const command = new Command('deprecated')
    .description('Show which API keys called deprecated operations, how often, and when last.')
    .option('--json', 'print JSON, for programs', false)
  return withSettings(command, 'database').action(async ({ json }: { json: boolean }, self: Command) => {
    const rows = await withStore(configOf(self), async (store) => {
      const names = new Map((await store.listKeys()).map(({ id, name }) => [id, name]))
      return (await store.listDeprecatedCalls()).map((calls) => ({ ...calls, name: names.get(calls.keyId) ?? '' }))
    })
    if (json) {
      const plain = rows.map(({ keyId, name, operationId, calls, lastAt }) => {
        return { keyId: Number(keyId), name, operationId, calls, lastAt: new Date(lastAt).toISOString() }
      })
      await write(`${JSON.stringify(plain, null, 2)}\n`)
    } else if (rows.length === 0) {
      await printLines('No key has called a deprecated operation.')
    } else {
      const cells = rows.map(({ keyId, name, operationId, calls, lastAt }) => {
        return [String(keyId), name, operationId, grouped(calls), time(lastAt)]
      })
      await printLines(...table(['KEY', 'NAME', 'OPERATION', 'CALLS', 'LAST'], cells))
    }
  })
}
