// Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/).

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

interface Metric {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
}

/** Identifiers, paths and numbers, which need no escaping. */
export type Labels = Readonly<Record<string, string | number>>

export interface Sample {
  value: number
  labels?: Labels
  /** Added to the metric's name, for the parts of a histogram. */
  suffix?: string
}

export function textFormat({ name, help, type }: Metric, samples: Iterable<Sample>): string {
  const lines = Array.from(samples, ({ value, labels = {}, suffix = '' }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs}}` : ''} ${value}\n`
  })
  return [`# HELP ${name} ${help}\n`, `# TYPE ${name} ${type}\n`, ...lines].join('')
}

/** One value, or those under several labels. */
export function gauge(name: string, help: string, value: number | Iterable<Sample>): string {
  return textFormat({ name, help, type: 'gauge' }, typeof value === 'number' ? [{ value }] : value)
}

/** One value, or those under several labels. */
export function counter(name: string, help: string, value: number | Iterable<Sample>): string {
  return textFormat({ name, help, type: 'counter' }, typeof value === 'number' ? [{ value }] : value)
}
