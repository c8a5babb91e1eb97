// Shares the signed-in key with new tabs and the reference, from storage or from an open tab. The channel's name
// contains the path, so only pages below the same path receive it.

export interface SignedIn {
  key: string
  name: string
  readOnly: boolean
}

export const STORED_KEY = 'petstore.key'
/** An open tab responds within milliseconds; a suspended one does not respond. */
const ANSWER_MS = 150

const ASK = 'which key?'
const SIGNED_OUT = 'signed out'
type Message = typeof ASK | typeof SIGNED_OUT | SignedIn

/** True if another tab signed out while this one was opening. */
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

/** Gives the key to tabs that ask for it, and reports a sign-out in another tab. */
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

/** Named by the path, because a proxy can serve several services from one origin. */
function openChannel(): BroadcastChannel {
  return new BroadcastChannel(`petstore ${new URL('.', location.href).pathname}`)
}
