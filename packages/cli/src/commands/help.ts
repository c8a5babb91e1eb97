// `petstore help TOPIC…` shows the help of a command, all settings, or the address of a page in docs/.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { CLIENT_SETTINGS, SETTINGS, type Setting, VERIFY_SETTINGS } from '../../../service/src/config/settings.ts'
import { print, printLines } from '../terminal/print.ts'

/** The pages in docs/. */
// biome-ignore format: a list of names
const PAGES = [
  'README', 'backups', 'cli', 'clients', 'compatibility', 'configuration', 'design', 'events', 'interface',
  'operations', 'orders', 'page', 'performance', 'postgresql', 'practice', 'production',
  'reliability', 'sqlite', 'testing', 'troubleshooting', 'tutorial', 'verify',
]

const EXIT_STATUSES = `Exit statuses:
  0  done
  1  failed
  2  the command or a flag is wrong; or check-backup or verify could not check
  3  the service did not answer: try again later
  4  the API key is missing, mistyped, rejected or not allowed to do this
  5  an import ended, but some records were rejected
  130  interrupted
`

export function helpCommand(program: Command): Command {
  const commandOf = (group: Command, name: string) =>
    group.commands.find((each) => each.name() === name || each.aliases().includes(name))
  return new Command('help')
    .description('Show the help of a command, every setting, or the address of a page.')
    .argument('[topic...]', 'a command, such as keys rotate; settings; a page, such as operations')
    .action(async ([name, ...inner]: string[], _options, self: Command) => {
      if (name === undefined) {
        // If a page and a command have the same name, the name with .md means the page.
        const names = PAGES.map((page) => (commandOf(program, page) ? `${page}.md` : page))
        const topics = `petstore help settings lists every setting.\npetstore help prints the addresses of these pages, too:`
        program.addHelpText('after', `\n${EXIT_STATUSES}\n${topics}\n${wrapped(names.join(', '), '  ')}`)
        return program.outputHelp()
      }
      if (name === 'settings') return print(settingsText())
      const page = name.replace(/\.md$/, '')
      if (PAGES.includes(page) && !commandOf(program, name)) return printLines(addressOf(page))
      let command: Command | undefined = program
      for (const each of [name, ...inner]) command = command && commandOf(command, each)
      if (!command) self.error(`error: there is no command and no page '${[name, ...inner].join(' ')}'`)
      command.outputHelp()
    })
}

function addressOf(page: string): string {
  // The folder of the package, and of a clone. The executable has none.
  const folder = ['../docs', '../../../../docs'].map((path) => join(import.meta.dir, path)).find(existsSync)
  return folder ? join(folder, `${page}.md`) : `docs/${page}.md in the source and the package of this version`
}

function settingsText(): string {
  const calling = 'Commands that call a running service use these instead, and PETSTORE_HOST and PETSTORE_PORT:'
  const list = (settings: Record<string, Setting<unknown>>) =>
    Object.values(settings).map(({ variable, flag, secret, default: preset, description }) => {
      const names = [variable, ...(secret ? [`${variable}_FILE`] : []), ...(flag ? [flag] : [])]
      return `${names.join(', ')}${preset ? ` (default ${preset})` : ''}\n${wrapped(description, '    ')}\n`
    })
  const verifying = 'petstore verify, which examines any server, uses these:\n'
  const parts = [list(SETTINGS), `${wrapped(calling, '')}\n`, list(CLIENT_SETTINGS), verifying, list(VERIFY_SETTINGS)]
  return parts.flat().join('\n')
}

function wrapped(text: string, indent: string): string {
  return Bun.wrapAnsi(text, 80 - indent.length).replaceAll(/^/gm, indent)
}
