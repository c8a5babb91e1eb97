// Writes docs/practice-clients.md: which lessons of practice ten clients keep, as programs on Node. Takes two minutes.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LESSONS } from '../packages/practice/src/lessons/all.ts'
import { startPetstore } from '../packages/testing/testing.ts'
import { type Judged, judge, SITUATIONS, together } from '../test/support/referee.ts'
import { installTools, runTool } from '../test/support/tools.ts'

const root = join(import.meta.dir, '..')
const generators = join(root, 'packages/client/test/generators')
const home = join(generators, 'clients')
/** A separate folder, from which generated clients find the packages of both folders. */
const made = join(home, '.made')

/** Packages and generating command of each client, by its file in packages/client/test/generators/clients/. */
const CLIENTS: Record<string, { packages: string[]; command?: string[] }> = {
  'petstore-client': { packages: [] },
  'openapi-fetch': { packages: ['openapi-fetch'] },
  'hey-api': {
    packages: ['@hey-api/openapi-ts'],
    command: ['openapi-ts', '-i', 'openapi.yaml', '-o', 'hey-api', '-c', '@hey-api/client-fetch'],
  },
  'swagger-typescript-api': {
    packages: ['swagger-typescript-api'],
    command: ['swagger-typescript-api', 'generate', '-p', 'openapi.yaml', '-o', '.', '-n', 'swagger.ts'],
  },
  oazapfts: { packages: ['oazapfts', '@oazapfts/runtime'], command: ['oazapfts', 'openapi.yaml', 'oazapfts.ts'] },
  orval: {
    packages: ['orval'],
    command: ['orval', '--input', 'openapi.yaml', '--output', 'orval.ts', '--client', 'fetch'],
  },
  ky: { packages: ['ky'] },
  axios: { packages: ['axios', 'axios-retry'] },
  fetch: { packages: [] },
  'fetch-loop': { packages: [] },
}

const nodeVersion = (await runTool(['node', '--version'], root)).trim().slice(1)
await Promise.all([installTools('generators', generators), installTools('clients', home)])
mkdirSync(made, { recursive: true })
await Bun.write(join(made, 'openapi.yaml'), Bun.file(join(root, 'openapi.yaml')))
await Promise.all(Object.keys(CLIENTS).map(build))
const situations = (isSlow: boolean) =>
  Object.keys(SITUATIONS).filter((name) => (SITUATIONS[name]?.isSlow ?? false) === isSlow)
const judged: Record<string, Judged> = {}
// Run the clients one after another, so that none slows down another, except for those that mostly wait.
for (const name of Object.keys(CLIENTS)) judged[name] = await judgedBy(name, situations(false))
await Promise.all(
  Object.keys(CLIENTS).map(async (name) => {
    judged[name] = together(judged[name] ?? {}, await judgedBy(name, situations(true)))
  }),
)
writeFileSync(join(root, 'docs/practice-clients.md'), page())
rmSync(made, { recursive: true })

/** Bundles a client into one file for Node. */
async function build(name: string): Promise<void> {
  const [tool = '', ...args] = CLIENTS[name]?.command ?? []
  const bin = [home, generators]
    .map((folder) => join(folder, 'node_modules/.bin', tool))
    .find((path) => Bun.which(path))
  if (tool) await runTool([bin ?? tool, ...args], made)
  const entry = join(made, `${name}.entry.ts`)
  const lines = [
    `import { play } from '${join(root, 'test/support/referee.ts')}'`,
    `import connect from '${join(home, `${name}.mjs`)}'`,
    'const [, , situation, baseUrl, apiKey] = process.argv',
    'await play(situation, connect({ baseUrl, apiKey }))',
  ]
  writeFileSync(entry, lines.join('\n'))
  const built = await Bun.build({ entrypoints: [entry], target: 'node', outdir: made, naming: `${name}.mjs` })
  if (!built.success) throw new AggregateError(built.logs, name)
}

async function judgedBy(name: string, names: string[]): Promise<Judged> {
  const store = await startPetstore({ practice: true, demo: true })
  const run = async (situation: string, apiKey: string) => {
    await runTool(['node', join(made, `${name}.mjs`), situation, store.url, apiKey], made)
  }
  return judge(store, names, run).finally(() => store.stop())
}

function page(): string {
  const names = Object.keys(CLIENTS)
  const { shown = [], others = [] } = Object.groupBy(Object.keys(LESSONS), (id) =>
    names.some((name) => sign(name, id) !== '') ? 'shown' : 'others',
  )
  const rows = shown.map((id) => `| \`${id}\` | ${names.map((name) => sign(name, id)).join(' | ')} |`)
  const without = `No client was tested on ${others.map((id) => `\`${id}\``).join(', ')}.`
  const packages = Object.values(CLIENTS).flatMap((client) => client.packages)
  const versions = packages.map((name) => `\`${name}\` ${versionOf(name)}`)
  return `# How ten clients handle failures

Ten clients in ${Object.keys(SITUATIONS).length} situations of [practice.md](practice.md), used as their documentation shows, on Node ${nodeVersion}.
✓: kept, ✗: missed, empty: not tested. Written by \`scripts/referee.ts\`; the programs are in
\`packages/client/test/generators/clients/\`.

\`petstore-client\` is [ours](clients.md), \`axios\` uses axios-retry, \`fetch\` is a few lines, and \`fetch-loop\` retries
everything three times. Versions:
${Bun.wrapAnsi(`${versions.join(', ')}.`, 117)}

| Lesson | ${names.join(' | ')} |
|---|${names.map(() => ':-:|').join('')}
${rows.join('\n')}

${Bun.wrapAnsi(without, 117)}
`
}

function versionOf(name: string): string {
  const versions = ['clients', 'generators'].map((group) => {
    return require(join(root, 'test/tools', group, 'package.json')).dependencies[name]
  })
  return versions.find((version) => version) ?? ''
}

function sign(name: string, id: string): string {
  return { kept: '✓', missed: '✗', unknown: '' }[judged[name]?.[id] ?? 'unknown']
}
