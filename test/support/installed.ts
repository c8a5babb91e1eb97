// The package as npm packs it, unpacked as an installation of npm's leaves it, with Bun beside it.

import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packages } from './artefacts.ts'
import { temporaryFile } from './files.ts'

/** The real Bun. What npm has as `bun.exe` until an install script ran is a few lines that `sh` runs, and that begin like this. */
export const BUN = realpathSync(process.execPath)
const STUB = `echo "Error: Bun's postinstall script was not run." >&2\nexit 1\n`

export const tarball = (await packages()).service

/** Unpacks the package into `modules`, and returns how npm and pnpm would link its command. */
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
/** What a system does with a program for the other C library. */
const FOREIGN = '#!/none/ld-musl\n'
