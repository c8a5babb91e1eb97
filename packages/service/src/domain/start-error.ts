// The error that ends a start or a command.

/** The user sees only the message, so it says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

export function noStoreAt(path: string, advice = ''): StartError {
  return new StartError(`There is no store at ${path}.${advice}`)
}
