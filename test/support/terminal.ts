// The command line, or another program, at a real terminal: what a person sees.

import { mkdtempSync } from 'node:fs'
import { temporaryFile } from './files.ts'
import { launcher } from './process.ts'

export interface Terminal {
  /** What has been shown so far, with the codes that colour it, and the line ends of a file. */
  shown(): string
  /** What stands on the screen now, after all that was erased and written over. Without scrolling. */
  screen(): string
  /** Resolves when the text has been shown. Rejects when the command has ended without it. */
  waitFor(text: string): Promise<void>
  /** As `waitFor`, when the screen shows the text, folded where the lines of the screen end. */
  waitForScreen(text: string): Promise<void>
  type(text: string): void
  readonly exited: Promise<number>
  readonly pid: number
}

export function openTerminal(args: string[], env = {}, columns = 80, command: string[] = [launcher]): Terminal {
  const decoder = new TextDecoder()
  let text = ''
  const child = Bun.spawn([...command, ...args], {
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
  const screen = () => screenOf(text, columns)
  async function waitUntil(there: () => boolean): Promise<void> {
    // The last of the output may arrive after the end.
    for (let left = 100; !there(); left -= child.exitCode === null ? 0 : 1) {
      if (left === 0) throw new Error(`ended with ${child.exitCode}: ${shown()}`)
      await Bun.sleep(5)
    }
  }
  return {
    shown,
    screen,
    waitFor: (wanted) => waitUntil(() => shown().includes(wanted)),
    waitForScreen: (wanted) => waitUntil(() => screen().includes(screenOf(wanted, columns))),
    type: (typed) => child.terminal?.write(typed),
    exited: child.exited,
    pid: child.pid,
  }
}

/** The same text without colours. */
export function plain(text: string): string {
  return Bun.stripANSI(text)
}

/** What moves the cursor or erases; a colour or a mode does neither. Anything else is a character. */
const CODE = /(?!\s)\p{Cc}\[([?0-9;]*)([A-Za-z])|[\s\S]/gu

/** Plays the codes that readline and the progress bar use. */
function screenOf(text: string, columns: number): string {
  const lines: string[][] = [[]]
  let [row, column] = [0, 0]
  for (const [character, parameter = '', code] of text.matchAll(CODE)) {
    const count = Number(parameter) || 1
    if (code === 'A') row = Math.max(0, row - count)
    else if (code === 'B') row += count
    else if (code === 'C') column += count
    else if (code === 'D') column = Math.max(0, column - count)
    else if (code === 'G') column = count - 1
    else if (character === '\r') column = 0
    else if (character === '\n') row++
    else if (code === undefined) {
      if (column >= columns) [row, column] = [row + 1, 0]
      const line = lines[row] ?? []
      lines[row] = line
      while (line.length < column) line.push(' ')
      line[column++] = character
    }
    if (code === 'J' || code === 'K') lines[row]?.splice(column)
    if (code === 'J') lines.splice(row + 1)
  }
  return Array.from(lines, (line = []) => line.join('').trimEnd()).join('\n')
}
