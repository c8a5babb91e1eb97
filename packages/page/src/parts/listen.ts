// Events of the browser and times, for effects.

/** The result ends it. */
export function listen(target: EventTarget, type: string, listener: (event: Event) => void): () => void {
  target.addEventListener(type, listener)
  return () => target.removeEventListener(type, listener)
}

/** As `listen`. */
export function every(pauseMs: number, act: () => void): () => void {
  const timer = setInterval(act, pauseMs)
  return () => clearInterval(timer)
}
