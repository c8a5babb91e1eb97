// The table of settings → docs/configuration.md.

import { CONNECTION_SETTINGS, SETTINGS, type Setting } from '../src/config/config.ts'

const INTRODUCTION = `# Configuration

Written by \`npm run generate\` from the table in \`src/config/config.ts\`.

Every setting is an environment variable; some are flags, too, and a flag wins. They hold for every command: \`petstore keys\`
works on the store that \`PETSTORE_DATABASE\` names. A variable that is empty counts as not set. All problems are reported
together, before anything starts.

| Variable | Flag | Default | |
|---|---|---|---|
`

const CONNECTION = `
The commands that talk to a running service (\`petstore pets\`, \`login\`, \`demo\`) have these instead:

| Variable | Flag | Default | |
|---|---|---|---|
`

const NOTES = `
A secret may stand in a file instead: its variable's name with \`_FILE\` at the end names the file.

Kubernetes sets \`PETSTORE_PORT\` by itself where a Service is named \`petstore\` (\`tcp://…\`, which is refused here): set
\`enableServiceLinks: false\`, or set \`PETSTORE_PORT\` yourself.
`

/** The text of docs/configuration.md. */
export function configurationPage(): string {
  return INTRODUCTION + rows(SETTINGS) + CONNECTION + rows(CONNECTION_SETTINGS) + NOTES
}

function rows(settings: Record<string, Setting<unknown>>): string {
  return Object.values(settings)
    .map(({ variable, flag, default: preset, secret, says }) => {
      const names = secret ? `\`${variable}\`, \`${variable}_FILE\`` : `\`${variable}\``
      return `| ${[names, code(flag), code(preset), says].join(' | ')} |\n`
    })
    .join('')
}

function code(text: string | undefined): string {
  return text ? `\`${text}\`` : ''
}
