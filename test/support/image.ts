// Builds the image of the Dockerfile by buildah with the C library of this machine, and runs containers. Needs Linux,
// root and buildah; also podman and runc to stop and start containers.

import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NOTICES, notices } from '../../scripts/notices.ts'
import { temporaryFile } from './files.ts'
import { root } from './process.ts'
import { runTool } from './tools.ts'

/** The missing tools for building the image and running it in a container. */
export const missingToRun = ['buildah', 'podman', 'runc'].filter((tool) => Bun.which(tool) === null)
if (process.getuid?.() !== 0) missingToRun.push('root')

export type Image = Awaited<ReturnType<typeof buildImage>>

/** Builds an image with this executable, which must be on the same file system as temporary files. */
export async function buildImage(executable: string) {
  const folder = dirname(temporaryFile('x'))
  /** podman accepts at most 50 characters for this path, and temporary folders can have longer paths. */
  const state = `/tmp/petstore-image-${process.pid}`
  const storage = ['--root', join(folder, 'store'), '--runroot', state]
  const configuration = '[containers]\ndefault_ulimits = []\n[engine]\ncgroup_manager = "cgroupfs"\n'
  writeFileSync(join(folder, 'containers.conf'), configuration)
  const env = { ...process.env, STORAGE_DRIVER: 'vfs', CONTAINERS_CONF: join(folder, 'containers.conf') }
  const buildah = (...args: string[]) => runTool(['buildah', ...storage, ...args], folder, env)
  const build = (tag: string, file: string, ...args: string[]) =>
    buildah('bud', '--isolation', 'chroot', '--format', 'docker', '-t', tag, '-f', file, ...args, folder)

  mkdirSync(join(folder, 'dist'))
  linkSync(executable, join(folder, 'dist/petstore'))
  writeFileSync(join(folder, 'dist', NOTICES), notices())
  // The files that the image takes from Debian come from this machine.
  const libraries = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`
  const licence = '/usr/share/doc/libc6'
  for (const path of [libraries, licence, '/srv']) mkdirSync(join(folder, 'debian', path), { recursive: true })
  for (const name of readdirSync(libraries)) {
    if (!/^(ld-linux-.*|lib(c|m|dl|pthread|resolv))\.so\.\d$/.test(name)) continue
    copyFileSync(join(libraries, name), join(folder, 'debian', libraries, name))
  }
  copyFileSync(`${licence}/copyright`, join(folder, 'debian', licence, 'copyright'))
  writeFileSync(join(folder, 'Debian'), 'FROM scratch\nCOPY debian /\n')
  await build('localhost/debian', join(folder, 'Debian'))
  await build('localhost/petstore', join(root, 'Dockerfile'), '--build-arg', 'DEBIAN=localhost/debian')

  return {
    podman: (...args: string[]) => runTool(['podman', ...storage, '--runtime', 'runc', ...args], folder, env),
    /** Unmounts the storage of the tools, because a mounted folder cannot be removed. */
    async remove(): Promise<void> {
      const mounted = readFileSync('/proc/mounts', 'utf8').matchAll(/^\S+ (\S+)/gm)
      const ours = [...mounted]
        .map(([, path = '']) => path)
        .filter((path) => path.startsWith(`${folder}/`) || path.startsWith(`${state}/`))
      for (const path of ours.reverse()) await runTool(['umount', path], '/')
      rmSync(state, { recursive: true, force: true })
    },
  }
}
