// Questions to the person at the terminal, on standard error.

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { StartError } from '../domain/start-error.ts'
import { printable } from '../observability/printable.ts'
import { io } from '../system/io.ts'

interface PromptOptions {
  /** The message of the StartError when the person stops instead of answering. */
  stopped: string
  /** Does not show what is typed. */
  hidden?: boolean
}

/** Throws StartError unless the person says yes. `unattended`: its message where there is no terminal. */
export async function confirm(question: string, { stopped, unattended }: { stopped: string; unattended: string }) {
  if (!io().stdin.isTTY) throw new StartError(unattended)
  const answer = await prompt(`${question} [y/N] `, { stopped })
  if (!/^y(es)?$/i.test(answer.trim())) throw new StartError(stopped)
}

/** Standard input must be a terminal. */
export async function prompt(question: string, { stopped, hidden = false }: PromptOptions): Promise<string> {
  const shown = printable(question)
  // Readline writes the question and echoes what is typed to its output, so a hidden answer gets an output that discards both.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: io().stdin, output: hidden ? discard : io().stderr, terminal: true })
  // Only now: until there is a reader, the terminal itself echoes.
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
