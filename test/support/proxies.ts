// The installed nginx and HAProxy, in front of a service.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { atEndOfFile, temporaryFile } from './files.ts'
import { answers } from './process.ts'
import { until } from './until.ts'

const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })
const haproxy = Bun.which('haproxy', { PATH: `${process.env.PATH}:/usr/sbin` })

/** The default HTTP settings of both, with keep-alive connections to the service. */
export const PROXIES = [
  {
    name: 'nginx',
    found: nginx,
    command: (file: string) => [
      nginx as string,
      ...`-p ${dirname(file)} -e /dev/null -c ${file} -g`.split(' '),
      'daemon off;',
    ],
    configuration: (port: number, to: number, folder: string) => `
      ${process.getuid?.() === 0 ? 'user root;' : ''}
      worker_processes 1;
      pid ${folder}/nginx.pid;
      events {}
      http {
        access_log off; error_log /dev/null; client_body_timeout 1s; client_header_timeout 1s;
        client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f;
        uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
        upstream petstore { server 127.0.0.1:${to}; keepalive 4; }
        server {
          listen 127.0.0.1:${port};
          proxy_http_version 1.1; proxy_set_header Connection "";
          location / { proxy_pass http://petstore; }
          location /shop/ { proxy_pass http://petstore/; }
        }
      }`,
  },
  {
    name: 'HAProxy',
    found: haproxy,
    command: (file: string) => [haproxy as string, '-db', '-q', '-f', file],
    configuration: (port: number, to: number) => `
defaults
  mode http
  option http-keep-alive
  http-reuse always
  timeout connect 5s
  timeout client 1s
  timeout server 20s
frontend shop
  bind 127.0.0.1:${port}
  default_backend petstore
backend petstore
  http-request replace-path /shop(/.*) \\1
  server one 127.0.0.1:${to}
`,
  },
]

/** Resolves when the proxy accepts connections on the port. It stops at the end of the test file. */
export async function startProxy({ command, configuration }: (typeof PROXIES)[number], port: number, to: number) {
  const file = temporaryFile('proxy.conf')
  const folder = dirname(file)
  mkdirSync(`${folder}/body`)
  writeFileSync(file, configuration(port, to, folder))
  const child = Bun.spawn(command(file), { stdio: ['ignore', 'ignore', 'inherit'] })
  await until(`the proxy listens on port ${port}`, () => answers(`http://127.0.0.1:${port}/healthz`))
  atEndOfFile(() => {
    child.kill('SIGTERM')
    return child.exited
  })
}
