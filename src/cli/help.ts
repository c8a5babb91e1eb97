// `petstore help COMMAND…`: the help of a command, and of a command within a command, which commander's own does not find.

import { Command } from 'commander'

export function helpCommand(program: Command): Command {
  return new Command('help')
    .description('Show the help of a command.')
    .argument('[command...]', 'the command, such as keys rotate')
    .action((names: string[], _options, self: Command) => {
      let command = program
      for (const name of names) {
        const next = command.commands.find((each) => each.name() === name || each.aliases().includes(name))
        if (!next) self.error(`error: unknown command '${names.join(' ')}'`)
        command = next
      }
      command.outputHelp()
    })
}
