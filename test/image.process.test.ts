// The image, built by buildah and run by podman with runc: as nobody, with a read-only root, and no /tmp. Skipped where these
// tools are not there: it needs Linux, root, and Debian's packages buildah, podman and runc.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleService } from '../scripts/bundle-service.ts'
import { temporaryFile } from './support/files.ts'
import { ask, root } from './support/process.ts'

const missing = ['buildah', 'podman', 'runc'].filter((tool) => Bun.which(tool) === null)
if (process.getuid?.() !== 0) missing.push('root')
const folder = dirname(temporaryFile('x'))
/** podman takes no more than 50 characters for this path, and the folder for temporary files may be longer. */
const state = `/tmp/petstore-image-${process.pid}`
const storage = ['--root', join(folder, 'store'), '--runroot', state]
const podman = (...args: string[]) => command(['podman', ...storage, '--runtime', 'runc', ...args])
const build = (tag: string, file: string, ...args: string[]) =>
  command([
    'buildah',
    ...storage,
    'bud',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    '-t',
    tag,
    '-f',
    file,
    ...args,
    folder,
  ])

describe.skipIf(missing.length > 0)(
  `the image${missing.length > 0 ? `: skipped, ${missing.join(', ')} missing` : ''}`,
  () => {
    let port: number
    beforeAll(async () => {
      writeFileSync(
        join(folder, 'containers.conf'),
        '[containers]\ndefault_ulimits = []\n[engine]\ncgroup_manager = "cgroupfs"\n',
      )
      await bundleService({ executable: join(folder, 'dist/petstore'), target: undefined })
      // What the image takes from Debian, taken from this machine.
      const libraries = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`
      for (const path of [libraries, '/srv']) mkdirSync(join(folder, 'debian', path), { recursive: true })
      for (const name of readdirSync(libraries)) {
        if (!/^(ld-linux-.*|lib(c|m|dl|pthread|resolv))\.so\.\d$/.test(name)) continue
        copyFileSync(join(libraries, name), join(folder, 'debian', libraries, name))
      }
      writeFileSync(join(folder, 'Debian'), 'FROM scratch\nCOPY debian /\n')
      await build('localhost/debian', join(folder, 'Debian'))
      await build('localhost/petstore', join(root, 'Dockerfile'), '--build-arg', 'DEBIAN=localhost/debian')
      const free = Bun.serve({ port: 0, fetch: () => new Response() })
      port = free.port as number
      await free.stop(true)
      const address = ['-e', `PETSTORE_PORT=${port}`, '-e', 'PETSTORE_HOST=127.0.0.1']
      // The host's network, because a sandbox may not make another.
      await podman(
        'run',
        '-d',
        '--name',
        'petstore',
        '--network',
        'host',
        '--read-only',
        ...address,
        'localhost/petstore',
      )
    }, 120_000)
    afterAll(async () => {
      try {
        await podman('rm', '-f', '-v', 'petstore')
      } finally {
        // The tools leave their storage mounted, and a mounted folder cannot be removed.
        const mounted = readFileSync('/proc/mounts', 'utf8').matchAll(/^\S+ (\S+)/gm)
        const ours = [...mounted]
          .map(([, path = '']) => path)
          .filter((path) => path.startsWith(`${folder}/`) || path.startsWith(`${state}/`))
        for (const path of ours.reverse()) await command(['umount', path])
        rmSync(state, { recursive: true, force: true })
      }
    })

    const ready = async () => {
      while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok) await Bun.sleep(20)
    }

    test('serves as nobody, and its health check passes', async () => {
      await ready()
      expect((await podman('exec', 'petstore', '/petstore', 'health')).trim()).toBe('ready')
      const [{ Config, Healthcheck }] = JSON.parse(await podman('image', 'inspect', 'localhost/petstore'))
      const { User, StopSignal } = Config
      expect({ User, StopSignal }).toEqual({ User: '65532:65532', StopSignal: 'SIGTERM' })
      expect(Healthcheck.Test).toEqual(['CMD', '/petstore', 'health'])
    })

    test('keeps what is in its volume when it is stopped and started again', async () => {
      const [key = ''] = /pets_live_\w+/.exec(await podman('logs', 'petstore')) ?? []
      const url = `http://127.0.0.1:${port}/v1/pets`
      expect((await ask('POST', url, key, '{"name":"Rex","categoryId":7}')).status).toBe(201)
      await podman('stop', '-t', '10', 'petstore')
      expect(JSON.parse(await podman('inspect', 'petstore'))[0].State.ExitCode).toBe(0)
      await podman('start', 'petstore')
      await ready()
      expect((await ask('GET', url, key)).text).toContain('"Rex"')
    })
  },
)

/** What it prints. Rejects when it fails. */
async function command(words: string[]): Promise<string> {
  const env = { ...process.env, STORAGE_DRIVER: 'vfs', CONTAINERS_CONF: join(folder, 'containers.conf') }
  const child = Bun.spawn(words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (status !== 0) throw new Error(`${words.join(' ')}: ${status}\n${stderr}`)
  return stdout
}
