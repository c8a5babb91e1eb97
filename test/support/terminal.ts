// The command line at a real terminal: what a person sees.

import { mkdtempSync } from 'node:fs'
import { temporaryFile } from './files.ts'
import { launcher } from './process.ts'

export interface Terminal {
  /** What has been shown so far, with the codes that colour it, and the line ends of a file. */
  shown(): string
  /** Resolves when the text has been shown. Rejects when the command has ended without it. */
  waitFor(text: string): Promise<void>
  type(text: string): void
  readonly exited: Promise<number>
}

export function openTerminal(args: string[], env: Record<string, string> = {}, columns = 80): Terminal {
  const decoder = new TextDecoder()
  let text = ''
  const child = Bun.spawn([launcher, ...args], {
    cwd: mkdtempSync(temporaryFile('cwd-')),
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TERM: 'xterm-256color', ...env },
    terminal: {
      cols: columns,
      rows: 24,
      data: (_terminal, bytes) => {
        text += decoder.decode(bytes, { stream: true })
      },
    },
  })
  process.on('exit', () => child.kill('SIGKILL'))
  const shown = () => text.replaceAll('\r\n', '\n')
  return {
    shown,
    async waitFor(wanted) {
      while (!shown().includes(wanted)) {
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${shown()}`)
        await Bun.sleep(5)
      }
    },
    type: (typed) => child.terminal?.write(typed),
    exited: child.exited,
  }
}

/** The same text without colours. */
export function plain(text: string): string {
  return Bun.stripANSI(text)
}
