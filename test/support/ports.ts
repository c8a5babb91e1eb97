// Ports for programs that cannot choose a free port.

/** Below the range from which Linux and macOS assign ports (RFC 6335, section 6, has a narrower range). */
const [FROM, TO] = [20_000, 32_000]

/** Returns an unused port of 127.0.0.1, which a restarted server can use again. */
export function freePort(): number {
  for (;;) {
    const port = FROM + Math.floor(Math.random() * (TO - FROM))
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => undefined } }).stop(true)
      return port
    } catch {}
  }
}
