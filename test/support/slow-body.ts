// The body of a request, in two parts.

/** Sends the second part when `rest` resolves, or never without `rest`. */
export function inTwoParts(text: string, rest?: Promise<void>): ReadableStream {
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(text.slice(0, 9))
      if (!rest) return
      await rest
      controller.enqueue(text.slice(9))
      controller.close()
    },
  })
}
