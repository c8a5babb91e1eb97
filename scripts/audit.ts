// Known vulnerabilities of the packages that are installed, as the npm registry knows them. Not every registry answers
// that question: then it is skipped, with the reason.

export interface Audit {
  outcome: 'ok' | 'failed' | 'skipped'
  /** What was found, or why it could not be asked. */
  report: string
}

interface Answer {
  metadata?: { vulnerabilities: Record<string, number> }
  vulnerabilities?: Record<string, { severity: string; via: (string | { title: string; url: string })[] }>
  message?: string
  error?: { summary?: string }
}

const GRAVE = ['high', 'critical']
const WAIT_MS = 30_000

/** Fails on what is high or critical. `registry`: another one than npm is set up for. */
export function audit(root: string, registry?: string): Audit {
  const command = ['npm', 'audit', '--json', ...(registry ? ['--registry', registry] : [])]
  const { stdout } = Bun.spawnSync(command, { cwd: root, stderr: 'ignore', timeout: WAIT_MS })
  const answer = parsed(stdout.toString())
  if (!answer.metadata) {
    // Not the registry's name, which may be somebody's own.
    const [reason = ''] = (answer.message ?? answer.error?.summary ?? 'no answer').split(' - ')
    return { outcome: 'skipped', report: `the registry answers no audit: ${reason}` }
  }
  const grave = Object.entries(answer.vulnerabilities ?? {}).filter(([, { severity }]) => GRAVE.includes(severity))
  const report = grave.map(([name, { severity, via }]) => {
    const why = via.map((one) => (typeof one === 'string' ? `through ${one}` : `${one.title} (${one.url})`))
    return `${name}: ${severity}: ${why.join(', ')}`
  })
  return { outcome: grave.length > 0 ? 'failed' : 'ok', report: report.join('\n') }
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
