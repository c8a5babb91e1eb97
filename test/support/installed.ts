// Unpacks the package as an installation by npm does, with Bun next to it.

import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packages } from './artefacts.ts'
import { temporaryFile } from './files.ts'

/** The real Bun. Before its install script runs, npm's `bun.exe` is a shell script that begins like STUB. */
export const BUN = realpathSync(process.execPath)
const STUB = `echo "Error: Bun's postinstall script was not run." >&2\nexit 1\n`

export const tarball = (await packages()).service

/** Unpacks the package into `modules`, and returns the link to its command, as npm and pnpm create it. */
export function unpack(modules: string): string {
  const petstore = join(modules, 'petstore')
  mkdirSync(petstore, { recursive: true })
  Bun.spawnSync(['tar', '-xzf', tarball, '-C', petstore, '--strip-components=1'])
  const command = join(modules, '.bin/petstore')
  mkdirSync(dirname(command))
  symlinkSync('../petstore/bin/petstore', command)
  return command
}

export function install(modules: string, path: string, bun: 'bun' | 'stub' | 'foreign'): void {
  mkdirSync(dirname(join(modules, path)), { recursive: true })
  if (bun === 'bun') symlinkSync(BUN, join(modules, path))
  else writeFileSync(join(modules, path), bun === 'stub' ? STUB : FOREIGN, { mode: 0o755 })
}

export const folder = () => mkdtempSync(temporaryFile('install-'))
export const BESIDE = `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`
/** Fails to start, like a program for the other C library. */
const FOREIGN = '#!/none/ld-musl\n'
