// The key that is signed in, and how a new tab or the reference gets it: from what this browser stores, or from an open tab that has it.
// Nothing but this page and the reference hears the question: both are below one path of one origin.

export interface SignedIn {
  key: string
  name: string
  readOnly: boolean
}

export const STORED_KEY = 'petstore.key'
/** An open tab answers in a few milliseconds, one that the browser has suspended not at all. */
const ANSWER_MS = 150

const ASK = 'which key?'
const SIGNED_OUT = 'signed out'
type Message = typeof ASK | typeof SIGNED_OUT | SignedIn

/** Whether another tab has signed out since this one began to open. */
let isSignedOut = false

export async function findKey(): Promise<SignedIn | undefined> {
  const channel = openChannel()
  const { promise, resolve } = Promise.withResolvers<SignedIn | undefined>()
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data === SIGNED_OUT) isSignedOut = true
    if (typeof data === 'object') resolve(data)
  }
  const stored = storedKey()
  if (stored) return stored
  channel.postMessage(ASK)
  setTimeout(resolve, ANSWER_MS)
  return promise
}

/** Answers the tabs that ask, and tells when one has signed out, which signs out all. The result signs out and ends it. */
export function joinTabs(key: () => SignedIn | undefined, onSignedOut: () => void) {
  const channel = openChannel()
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    const mine = key()
    if (data === SIGNED_OUT) onSignedOut()
    if (data === ASK && mine) channel.postMessage(mine)
  }
  if (isSignedOut) onSignedOut()
  return { signOut: () => channel.postMessage(SIGNED_OUT), close: () => channel.close() }
}

export function storedKey(): SignedIn | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(STORED_KEY) ?? localStorage.getItem(STORED_KEY) ?? '')
  } catch {
    return undefined
  }
}

/** Of this page's own path: a proxy may serve several services from one origin. */
function openChannel(): BroadcastChannel {
  return new BroadcastChannel(`petstore ${new URL('.', location.href).pathname}`)
}
