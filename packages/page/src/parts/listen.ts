// Event listeners and intervals for effects.

/** Returns a function that removes the listener. */
export function listen(
  target: EventTarget,
  type: string,
  listener: (event: Event) => void,
  capture = false,
): () => void {
  target.addEventListener(type, listener, capture)
  return () => target.removeEventListener(type, listener, capture)
}

export function every(pauseMs: number, act: () => void): () => void {
  const timer = setInterval(act, pauseMs)
  return () => clearInterval(timer)
}
