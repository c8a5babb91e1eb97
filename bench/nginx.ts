// The limit: an nginx that checks a fixed key and answers from its configuration, with the same headers and bytes.
// `return` was measured against files with sendfile and open_file_cache: it is the faster by a half.

/** What the service has answered to a target. */
export interface Answer {
  target: string
  headers: Record<string, string>
  body: string
}

export interface NginxOptions {
  port: number
  key: string
  /** One answers everything under its path; of several, each its own target. */
  answers: readonly Answer[]
  folder: string
}

/** Those that nginx makes itself. */
const OWN_HEADERS = ['connection', 'content-length', 'content-type', 'date', 'server', 'transfer-encoding']
/** What nginx can read as one word of its configuration. */
const WORD_BYTES_MAX = 4000

export async function answerOf(port: number, target: string, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${target}`, { headers })
  if (response.status !== 200) throw new Error(`${target}: ${response.status}`)
  return { target, headers: Object.fromEntries(response.headers), body: await response.text() }
}

export function nginxConfiguration({ port, key, answers, folder }: NginxOptions): string {
  const [first] = answers
  if (!first) throw new RangeError('nginx needs something to answer')
  const headers = Object.entries(first.headers)
    .filter(([name]) => !OWN_HEADERS.includes(name))
    .map(([name, value]) => `add_header ${name} ${quoted(value)};`)
  const bodies = answers.map(({ target, body }) => `${quoted(target)} ${quoted(body)};`)
  return `
worker_processes 1;
daemon off;
error_log ${folder}/nginx.log;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  default_type application/json;
  keepalive_timeout 1h;
  keepalive_requests 1000000000;
  tcp_nodelay on;
  client_body_temp_path ${folder};
  proxy_temp_path ${folder};
  fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder};
  scgi_temp_path ${folder};
  map_hash_bucket_size 256;
  map $request_uri $page {
    ${bodies.join('\n    ')}
  }
  server {
    listen 127.0.0.1:${port};
    location ${first.target.split('?')[0]?.replace(/\d+$/, '')} {
      if ($http_authorization != ${quoted(`Bearer ${key}`)}) { return 401; }
      ${headers.join('\n      ')}
      return 200 ${answers.length === 1 ? quoted(first.body) : '$page'};
    }
  }
}
`
}

/** One word of nginx's configuration, with nothing in it for nginx to fill in. */
export function quoted(text: string): string {
  if (text.includes('$')) throw new RangeError('nginx would read $ as a variable')
  if (Buffer.byteLength(text) > WORD_BYTES_MAX) throw new RangeError('too long for one word of nginx')
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
