// Asks the npm registry for known vulnerabilities of the installed packages. Skips the audit, with a reason, if the registry does not support
// it.

interface Audit {
  outcome: 'ok' | 'failed' | 'skipped'
  /** The vulnerabilities, or the reason why the audit was skipped. */
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

/** Fails on high and critical vulnerabilities. `registry` replaces the registry that npm is configured for. */
export async function audit(root: string, registry?: string): Promise<Audit> {
  const command = ['npm', 'audit', '--json', ...(registry ? ['--registry', registry] : [])]
  const { stdout } = Bun.spawn(command, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], timeout: WAIT_MS })
  const answer = parsed(await stdout.text())
  if (!answer.metadata) {
    // Leave out the registry's name, which can be private.
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
