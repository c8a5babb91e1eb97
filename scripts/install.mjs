// Installs the packages of package-lock.json if they are missing, so that `npm start` and `npm test` work on a fresh clone. Without --dev, it
// installs only the service's packages and removes nothing. Runs on Node. The scripts of package.json call it, because npm skips pre-scripts
// with ignore-scripts.

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
    process.stderr.write('The packages were not installed. See the error above.\n')
    process.exit(1)
  }
}
// bin/petstore finds Bun's real program.
if (withDev && spawnSync(`${root}node_modules/.bin/bun`, ['--version'], { stdio: 'ignore' }).status !== 0) {
  process.stderr.write(
    'Bun is not ready, because npm did not run its install script (ignore-scripts). Run: npm rebuild --ignore-scripts=false\n',
  )
  process.exit(1)
}

/** Whether every needed package is installed in its locked version. */
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
