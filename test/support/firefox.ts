// Drives an installed Firefox through WebDriver BiDi (W3C). Playwright only drives its own build of Firefox.

import { mkdtempSync } from 'node:fs'
import { temporaryFile } from './files.ts'
import { until } from './until.ts'

/** The command of Debian, or of other systems. */
export const firefox = Bun.which('firefox-esr') ?? Bun.which('firefox')

type Result = Record<string, unknown>

export type FirefoxPage = Awaited<ReturnType<typeof openFirefox>>

/** WebDriver's code points for special keys. */
export const KEYS = { enter: '\uE007', escape: '\uE00C', down: '\uE015', tab: '\uE004' }

export async function openFirefox(command: string, width = 1280, height = 800) {
  const profile = mkdtempSync(temporaryFile('firefox-'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
  const env = { ...process.env, HOME: profile, MOZ_REMOTE_SETTINGS_DEVTOOLS: '1' }
  const child = Bun.spawn([command, ...args, 'about:blank'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const socket = new WebSocket(`${await addressOf(child.stderr)}/session`)
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }))

  const open: ((message: Result) => void)[] = []
  const complaints: string[] = []
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data))
    open[message.id]?.(message)
    const { level, text } = message.params ?? {}
    if (message.method === 'log.entryAdded' && level === 'error') complaints.push(text)
  }
  // Reject everything that waits for the browser.
  socket.onclose = () => {
    for (const answer of open) answer({ type: 'error', message: 'Firefox ended.' })
  }
  async function send<Answer = Result>(method: string, params: object): Promise<Answer> {
    const answer = new Promise<Result>((resolve) => open.push(resolve))
    socket.send(JSON.stringify({ id: open.length - 1, method, params }))
    if (socket.readyState !== WebSocket.OPEN) throw new Error('Firefox ended.')
    const { type, result, message } = await answer
    if (type !== 'success') throw new Error(`${method}: ${message}`)
    return result as Answer
  }

  await send('session.new', { capabilities: { alwaysMatch: { unhandledPromptBehavior: { default: 'accept' } } } })
  await send('session.subscribe', { events: ['log.entryAdded'] })
  const { contexts } = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {})
  const context = contexts[0]?.context
  await send('browsingContext.setViewport', { context, viewport: { width, height } })

  /** Evaluates an expression. Rejects if it throws. */
  async function evaluate<Value>(expression: string): Promise<Value> {
    const awaited = `(async () => JSON.stringify((await (${expression})) ?? null))()`
    const settings = { expression: awaited, awaitPromise: true }
    const answer = await send<{ result?: { value: string }; exceptionDetails?: { text: string } }>('script.evaluate', {
      ...settings,
      target: { context },
    })
    if (!answer.result) throw new Error(answer.exceptionDetails?.text)
    return JSON.parse(answer.result.value)
  }

  /** Waits for an element. */
  async function find(locator: object): Promise<object> {
    return until(`the page has ${JSON.stringify(locator)}`, async () => {
      const { nodes } = await send<{ nodes: object[] }>('browsingContext.locateNodes', { context, locator })
      return nodes[0]
    })
  }

  return {
    /** Logged errors and exceptions. */
    complaints,
    evaluate,
    goto: (url: string) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    /** Waits until an expression is true. */
    async until(condition: string) {
      await until(condition, () => evaluate(`Boolean(${condition})`))
    },
    /** Presses a key for each character. Characters of KEYS are special keys. */
    type(keys: string) {
      const actions = Array.from(keys).flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
      return send('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] })
    },
    /** Clicks the button with this name. Keys do not work, because headless Firefox never has the focus. */
    async press(name: string) {
      const element = await find({ type: 'accessibility', value: { name, role: 'button' } })
      const origin = { type: 'element', element }
      const press = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }))
      const mouse = [{ type: 'pointerMove', x: 0, y: 0, origin }, ...press]
      return send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions: mouse }] })
    },
    /** Chooses files in the input with this selector. */
    setFiles: async (selector: string, files: string[]) =>
      send('input.setFiles', { context, element: await find({ type: 'css', value: selector }), files }),
    /** A PDF, as printed on paper of this size in centimetres, in base64. */
    print: async (width: number, height: number) =>
      (await send<{ data: string }>('browsingContext.print', { context, page: { width, height } })).data,
    async close() {
      await send('browser.close', {}).catch(() => undefined)
      await child.exited
    },
  }
}

/** Reads "WebDriver BiDi listening on ws://127.0.0.1:40123". Rejects with the output if Firefox ends first. */
async function addressOf(output: ReadableStream<Uint8Array>): Promise<string> {
  let said = ''
  for await (const part of output) {
    said += new TextDecoder().decode(part)
    const address = /listening on (ws:\S+)\n/.exec(said)?.[1]
    if (address) return address
  }
  throw new Error(`Firefox ended: ${said}`)
}
