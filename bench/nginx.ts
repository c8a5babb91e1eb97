// Configures nginx to send one response of the service.

import type { Answer } from './servers.ts'

/** The longest word that nginx reads. */
const WORD_BYTES_MAX = 4000

/** One worker that checks the key and sends the response from its configuration, which is 1.5 times as fast as from a file. */
export function nginxConfiguration({ status, headers, body, key }: Answer, port: string, folder: string): string {
  const { 'content-type': type = 'application/json', ...others } = headers
  const fields = Object.entries(others).map(([name, value]) => `add_header ${name} ${quoted(value)};`)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`)
  return `
worker_processes 1; daemon off; error_log ${folder}/nginx.log; pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off; default_type ${type}; keepalive_timeout 1h; keepalive_requests 1000000000; tcp_nodelay on;
  ${folders.join(' ')}
  server {
    listen 127.0.0.1:${port};
    location / {
      if ($http_authorization != ${quoted(`Bearer ${key}`)}) { return 401; }
      ${fields.join('\n      ')}
      return ${status} ${quoted(body)};
    }
  }
}
`
}

/** Quotes a word for nginx's configuration. Throws a RangeError if nginx would read the text differently. */
export function quoted(text: string): string {
  if (text.includes('$')) throw new RangeError('nginx would read $ as a variable')
  if (Buffer.byteLength(text) > WORD_BYTES_MAX) throw new RangeError('the text is too long for one word of nginx')
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
