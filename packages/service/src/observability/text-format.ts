// Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/).

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Identifiers, paths and numbers, which need no escaping. */
export type Labels = Readonly<Record<string, string | number>>

export interface Sample {
  value: number
  labels?: Labels
  /** Added to the metric's name, for the parts of a histogram. */
  suffix?: string
}

/** Formats a metric with one value, or with several samples. */
function textFormat(type: string, name: string, help: string, values: number | Iterable<Sample>): string {
  const samples = typeof values === 'number' ? [{ value: values }] : values
  const lines = Array.from(samples, ({ value, labels = {}, suffix = '' }: Sample) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs}}` : ''} ${value}\n`
  })
  return [`# HELP ${name} ${help}\n`, `# TYPE ${name} ${type}\n`, ...lines].join('')
}

export const gauge = textFormat.bind(undefined, 'gauge')
export const counter = textFormat.bind(undefined, 'counter')
export const histogram = textFormat.bind(undefined, 'histogram')
