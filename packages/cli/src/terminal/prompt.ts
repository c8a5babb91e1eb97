// Asks the person at the terminal, on stderr.

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { printable } from '../../../service/src/observability/printable.ts'
import { io } from '../../../service/src/system/io.ts'

/** Throws StartError unless the person answers yes. `unattended`: the message if there is no terminal. */
export async function confirm(question: string, { stopped, unattended }: { stopped: string; unattended: string }) {
  if (!io().stdin.isTTY) throw new StartError(unattended)
  const answer = await prompt(`${question} [y/N] `, { stopped })
  if (!/^y(es)?$/i.test(answer.trim())) throw new StartError(stopped)
}

/**
 * Requires that stdin is a terminal. `hidden` hides the typed text. `stopped`: the message of the StartError if the
 * person aborts.
 */
export async function prompt(question: string, { stopped, hidden = false }: { stopped: string; hidden?: boolean }) {
  const shown = printable(question)
  // Readline writes the question and the echo to its output. For a hidden answer that output discards both.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: io().stdin, output: hidden ? discard : io().stderr, terminal: true })
  // Only now, because the terminal echoes until there is a reader.
  if (hidden) io().stderr.write(shown)
  const aborter = new AbortController()
  reader.once('SIGINT', () => aborter.abort())
  reader.once('close', () => aborter.abort())
  try {
    return await reader.question(shown, { signal: aborter.signal })
  } catch {
    throw new StartError(stopped)
  } finally {
    if (hidden) io().stderr.write('\n')
    reader.close()
  }
}
