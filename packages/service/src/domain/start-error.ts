// The error of starts and commands.

/** A start or a command cannot continue. Only the message is shown; it says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

export function noStoreAt(path: string, advice = ''): StartError {
  return new StartError(`There is no store at ${path}.${advice}`)
}
