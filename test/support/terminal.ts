// Runs a command at a real terminal, and shows its screen.

import { mkdtempSync } from 'node:fs'
import { temporaryFile } from './files.ts'
import { launcher } from './process.ts'
import { until } from './until.ts'

export type Terminal = ReturnType<typeof openTerminal>

export function openTerminal(args: string[], env = {}, columns = 80, command: string[] = [launcher]) {
  const decoder = new TextDecoder()
  let text = ''
  let hasEnded = false
  const closed = Promise.withResolvers<void>()
  const child = Bun.spawn([...command, ...args], {
    cwd: mkdtempSync(temporaryFile('cwd-')),
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TERM: 'xterm-256color', ...env },
    terminal: {
      cols: columns,
      rows: 24,
      data: (_terminal, bytes) => {
        text += decoder.decode(bytes, { stream: true })
      },
      exit: () => closed.resolve(),
    },
  })
  process.on('exit', () => child.kill('SIGKILL'))
  const shown = () => text.replaceAll('\r\n', '\n')
  const screen = () => screenOf(text, columns)
  /** The last output can arrive after the process has ended. */
  const exited = closed.promise.then(() => {
    hasEnded = true
    return child.exited
  })
  async function waitUntil(condition: () => boolean): Promise<void> {
    const isShown = () => {
      if (condition()) return true
      if (hasEnded) throw new Error(`ended with ${child.exitCode}: ${shown()}`)
      return false
    }
    await until('the terminal shows the text', isShown, { everyMs: 5, seen: shown })
  }
  return {
    /** All output so far, with escape sequences, and with LF as line ends. */
    shown,
    /** The current contents of the screen, without scrolling. */
    screen,
    /** Resolves when the text was printed. Rejects if the command ends first. */
    waitFor: (wanted: string) => waitUntil(() => shown().includes(wanted)),
    /** Like `waitFor`, but for text on the screen, wrapped at its width. */
    waitForScreen: (wanted: string) => waitUntil(() => screen().includes(screenOf(wanted, columns))),
    type: (typed: string) => child.terminal?.write(typed),
    /** Resolves with the exit status, after all output has been read. */
    exited,
    pid: child.pid,
  }
}

/** Removes colours. */
export function plain(text: string): string {
  return Bun.stripANSI(text)
}

/** An escape sequence or a character. */
const CODE = /(?!\s)\p{Cc}\[([?0-9;]*)([A-Za-z])|[\s\S]/gu

/** Interprets the escape sequences of readline and the progress bar. */
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
