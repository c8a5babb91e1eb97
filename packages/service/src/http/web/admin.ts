// Serves metrics on a separate port, which must not be public.

import { CONTENT_TYPE } from '../../observability/text-format.ts'
import { authority, listen } from '../listen.ts'
import { SECURITY_HEADERS } from '../response/shared-headers.ts'

/** Port 0 chooses a free one. Throws StartError if it cannot listen on the address. */
export function startAdmin(host: string, port: number, metrics: { text(): string | Promise<string> }) {
  const server = listen(
    { host, port, flag: 'PETSTORE_ADMIN_PORT' },
    {
      routes: {
        '/metrics': {
          GET: async () =>
            new Response(await metrics.text(), {
              headers: { ...SECURITY_HEADERS, 'Content-Type': CONTENT_TYPE, 'Cache-Control': 'no-store' },
            }),
        },
      },
      fetch: () => new Response('Only /metrics exists here.\n', { status: 404, headers: SECURITY_HEADERS }),
    },
  )
  return { url: `http://${authority(host, server.port as number)}/metrics`, stop: () => server.stop(true) }
}
