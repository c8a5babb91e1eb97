// `petstore help TOPIC…` shows the help of a command, all settings, or a guide. Guides are files in a clone and in
// the package, and embedded in the executable.

import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Command } from 'commander'
import { CLIENT_SETTINGS, SETTINGS, type Setting, VERIFY_SETTINGS } from '../../config/settings.ts'
import { write } from '../../terminal/print.ts'
import { EXIT_STATUSES } from '../overview.ts'

export function helpCommand(program: Command): Command {
  const commandOf = (group: Command, name: string) =>
    group.commands.find((each) => each.name() === name || each.aliases().includes(name))
  return new Command('help')
    .description('Show the help of a command, every setting, or a guide.')
    .argument('[topic...]', 'a command, such as keys rotate; settings; a guide, such as operations')
    .action(async ([name, ...inner]: string[], _options, self: Command) => {
      if (name === undefined) {
        // If a guide and a command have the same name, the name with .md shows the guide.
        const names = [...guides().keys()].sort().map((guide) => (commandOf(program, guide) ? `${guide}.md` : guide))
        const topics = `petstore help settings lists every setting.\npetstore help also shows these guides:`
        program.addHelpText('after', `\n${EXIT_STATUSES}\n${topics}\n${indented(names.join(', '), '  ')}`)
        return program.outputHelp()
      }
      if (name === 'settings') return write(settingsText())
      const guide = commandOf(program, name) ? undefined : guides().get(name.replace(/\.md$/, ''))
      if (guide) return write(await guide.text())
      let command: Command | undefined = program
      for (const each of [name, ...inner]) command = command && commandOf(command, each)
      if (!command) self.error(`error: there is no command and no guide '${[name, ...inner].join(' ')}'`)
      command.outputHelp()
    })
}

/** Returns the guides by file name without extension. */
function guides(): Map<string, Blob> {
  const inside = (Bun.embeddedFiles as (Blob & { name: string })[]).map((file) => [file.name, file] as const)
  // The folder of the package, and of a clone.
  const folder = ['../docs', '../../../../../docs'].map((path) => join(import.meta.dir, path)).find(existsSync)
  const paths = folder ? [...new Bun.Glob('*.md').scanSync({ cwd: folder, absolute: true })] : []
  const files = inside.length > 0 ? inside : paths.map((path) => [path, Bun.file(path)] as const)
  return new Map(files.filter(([path]) => path.endsWith('.md')).map(([path, file]) => [basename(path, '.md'), file]))
}

function settingsText(): string {
  const calling = 'Commands that call a running service use these instead, and PETSTORE_HOST and PETSTORE_PORT:'
  const list = (settings: Record<string, Setting<unknown>>) =>
    Object.values(settings).map(({ variable, flag, secret, default: preset, description }) => {
      const names = [variable, ...(secret ? [`${variable}_FILE`] : []), ...(flag ? [flag] : [])]
      return `${names.join(', ')}${preset ? ` (default ${preset})` : ''}\n${indented(description, '    ')}\n`
    })
  const verifying = 'petstore verify, which examines any server, uses these:\n'
  const parts = [list(SETTINGS), `${indented(calling, '')}\n`, list(CLIENT_SETTINGS), verifying, list(VERIFY_SETTINGS)]
  return parts.flat().join('\n')
}

function indented(text: string, indent: string): string {
  return Bun.wrapAnsi(text, 80 - indent.length).replaceAll(/^/gm, indent)
}
