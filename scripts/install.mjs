// Installs the packages of package-lock.json when they are missing, so that `npm start` and `npm test` need no other command on
// a fresh clone. Without --dev it installs only what the service needs, and removes nothing. Runs on plain Node. The scripts of
// package.json call it themselves, not in a pre-script, because npm runs none of those with ignore-scripts.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const withDev = process.argv.includes('--dev')

if (!installed()) {
  process.stderr.write(
    withDev
      ? 'Installing what the tests and tools need: about 400 MB, once.\n'
      : 'Installing what the service needs: about 110 MB, most of it Bun, once.\n',
  )
  const arguments_ = ['ci', '--no-audit', '--no-fund', ...(withDev ? [] : ['--omit=dev'])]
  const { status } = spawnSync('npm', arguments_, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) {
    process.stderr.write('The packages could not be installed; npm says above why.\n')
    process.exit(1)
  }
}
// bin/petstore finds the real Bun by itself.
if (withDev && spawnSync(`${root}node_modules/.bin/bun`, ['--version'], { stdio: 'ignore' }).status !== 0) {
  process.stderr.write(
    'Bun is not ready, because npm did not run its install script (ignore-scripts). Run: npm rebuild --ignore-scripts=false\n',
  )
  process.exit(1)
}

/** Whether every package that this start needs is installed in its locked version. */
function installed() {
  const wanted = packages('package-lock.json')
  const present = packages('node_modules/.package-lock.json')
  return Object.entries(wanted).every(([path, { version, dev, optional }]) => {
    if (path === '' || optional || (dev && !withDev)) return true
    return present[path]?.version === version && existsSync(`${root}${path}`)
  })
}

function packages(file) {
  try {
    return JSON.parse(readFileSync(`${root}${file}`, 'utf8')).packages
  } catch {
    return {}
  }
}
