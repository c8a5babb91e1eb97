// Ports for programs that have to be told theirs.

/** Below those that Linux and macOS give to whoever asks for any (RFC 6335, section 6, has a narrower range for that). */
const FROM = 20_000
const TO = 32_000

/** A port of 127.0.0.1 that nobody listens on. Nobody gets it by chance before it is used, and a server that is restarted gets it again. */
export function freePort(): number {
  for (;;) {
    const port = FROM + Math.floor(Math.random() * (TO - FROM))
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => undefined } }).stop(true)
      return port
    } catch {}
  }
}
