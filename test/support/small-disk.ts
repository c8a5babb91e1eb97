// A small tmpfs that a test can fill. Needs Linux and root.

import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from './files.ts'

/** For `skipIf` and titles. */
export const canMount = mountable()
export const WHY_SKIPPED = canMount ? '' : ' (a tmpfs cannot be mounted)'

/** Mounted at `folder`. `options` are options of mount: `size=1m`. */
export function smallDisk(options: string, folder = mkdtempSync(temporaryFile('disk-'))) {
  if (!mount(folder, options)) throw new Error(`a tmpfs with ${options} cannot be mounted`)
  const ballast = join(folder, 'ballast')
  return {
    folder,
    /** Fills the disk except for this many bytes. */
    fill(leave = 0): void {
      const { bavail, bsize } = statfsSync(folder)
      try {
        writeFileSync(ballast, new Uint8Array(bavail * bsize - leave), { flag: 'a' })
      } catch {
        // Another process has filled the disk already.
      }
    },
    /** Frees the space that `fill` used. */
    empty: () => rmSync(ballast),
    [Symbol.dispose]: () => void Bun.spawnSync(['umount', '-l', folder]),
  }
}

function mountable(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(temporaryFile('probe-'))
  const mounted = mount(folder, 'size=1m')
  if (mounted) Bun.spawnSync(['umount', folder])
  return mounted
}

function mount(folder: string, options: string): boolean {
  return Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', options, 'none', folder]).exitCode === 0
}
