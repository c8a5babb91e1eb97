// `npm run release` makes the files of a release in dist/release/: both packages, the executable for each system with its notices, the SBOM,
// and checksums. `-- --target linux-x64` builds only the executable of that system.

import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import packageJson from '../package.json'
import { bundleService, TARGETS } from './bundle-service.ts'
import { NOTICES, notices } from './notices.ts'
import { sbom } from './sbom.ts'

const root = join(import.meta.dir, '..')
export const SUMS = 'SHA256SUMS'

/** Fills an empty folder with npm's archives and the executables, named by system. */
export function writeRelease(folder: string, archives: string[], executables: Record<string, string>): void {
  for (const archive of archives) copyFileSync(archive, join(folder, basename(archive)))
  for (const [target, executable] of Object.entries(executables)) {
    writeFileSync(join(folder, `petstore-${target}.tar.gz`), packed(executable))
  }
  writeFileSync(join(folder, NOTICES), notices())
  writeFileSync(join(folder, `petstore-${packageJson.version}.cdx.json`), sbom())
  const sums = readdirSync(folder)
    .sort()
    .map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`)
  writeFileSync(join(folder, SUMS), sums.join(''))
}

/** An archive of the executable, the licence and the notices. It keeps the executable bit. */
function packed(executable: string): Uint8Array {
  const parts = mkdtempSync(join(tmpdir(), 'petstore-archive-'))
  try {
    copyFileSync(executable, join(parts, 'petstore'))
    copyFileSync(join(root, 'LICENSE'), join(parts, 'LICENSE'))
    writeFileSync(join(parts, NOTICES), notices())
    return Bun.gzipSync(output(['tar', '-cf', '-', 'petstore', 'LICENSE', NOTICES], parts))
  } finally {
    rmSync(parts, { recursive: true })
  }
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}

function output(command: string[], cwd: string): Uint8Array<ArrayBuffer> {
  const { exitCode, stdout } = Bun.spawnSync(command, { cwd, stderr: 'inherit' })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${exitCode}`)
  return new Uint8Array(stdout)
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { target: { type: 'string', multiple: true } } })
  const folder = join(root, 'dist/release')
  const made = mkdtempSync(join(tmpdir(), 'petstore-release-'))
  try {
    for (const from of [root, join(root, 'dist/petstore-client')])
      output(['npm', 'pack', '--silent', '--pack-destination', made], from)
    const archives = readdirSync(made).map((name) => join(made, name))
    const executables: Record<string, string> = {}
    for (const [target, compileTarget] of Object.entries(TARGETS)) {
      if (values.target && !values.target.includes(target)) continue
      mkdirSync(join(made, target))
      executables[target] = join(made, target, 'petstore')
      await bundleService({ executable: executables[target], target: compileTarget })
    }
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    writeRelease(folder, archives, executables)
    process.stdout.write(readFileSync(join(folder, SUMS)))
  } finally {
    rmSync(made, { recursive: true })
  }
}
