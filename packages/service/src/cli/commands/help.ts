// `petstore help COMMAND…`: the help of a command, and of a command within a command, which commander's own does not find; and what stands
// in no command's help.

import { Command } from 'commander'
import { io } from '../../system/io.ts'
import { GROUPS, guides, readable, settingsText, wrap } from '../guides.ts'
import { EXIT_STATUSES } from '../overview.ts'
import { write } from '../print.ts'

export function helpCommand(program: Command): Command {
  return new Command('help')
    .description('Show the help of a command, every setting, or a guide.')
    .argument('[topic...]', 'a command, such as keys rotate; settings; a guide, such as operations')
    .action(async (topic: string[], _options, self: Command) => {
      const { columns } = io().stdout
      const [name = ''] = topic
      if (name === '') {
        const topics = `petstore help settings lists every setting.\npetstore help shows these guides, too:`
        program.addHelpText('after', `\n${EXIT_STATUSES}\n${topics}\n${grouped(program, columns)}`)
      }
      if (name === 'settings') return write(settingsText(columns))
      const guide = isCommand(program, name) ? undefined : guides().get(name.replace(/\.md$/, ''))
      if (guide) return write(readable(await guide.text(), columns))
      let command = program
      for (const name of topic) {
        const next = command.commands.find((each) => isNamed(each, name))
        if (!next) self.error(`error: there is no command and no guide '${topic.join(' ')}'`)
        command = next
      }
      command.outputHelp()
    })
}

/** A guide that has the name of a command is called by its file's name. */
function grouped(program: Command, columns?: number): string {
  const lines = Object.entries(GROUPS).map(([group, names]) => {
    const shown = names.map((name) => (isCommand(program, name) ? `${name}.md` : name))
    return wrap(`${group}: ${shown.join(', ')}`, columns, '  ', 2)
  })
  return lines.join('\n')
}

const isNamed = (command: Command, name: string) => command.name() === name || command.aliases().includes(name)
const isCommand = (program: Command, name: string) => program.commands.some((each) => isNamed(each, name))
