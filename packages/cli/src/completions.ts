// `petstore completion SHELL` prints a script with a table of all commands, flags and choices. The script compares
// typed words with the table and never evaluates them.

import { Argument, Command, type Option } from 'commander'
import { namesIfThere } from './categories.ts'
import { write } from './terminal/print.ts'

/** Short, because a shell may run this at each start. */
const NAMES_TIMEOUT_MS = 500
/** Characters without a special meaning in any shell. Other names would need quotes. */
const ONE_WORD = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.-]*$/u

/** Call this after adding all other commands. */
export function addCompletions(program: Command, [command, dashes]: readonly string[]): void {
  const completion = new Command('completion')
    .description('Print completions for a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .action(async (shell: keyof typeof SCRIPTS, _options, self: Command) => {
      const { categories } = await namesIfThere(self, NAMES_TIMEOUT_MS)
      const words = categories.map(({ name }) => name).filter((name) => ONE_WORD.test(name))
      await write(SCRIPTS[shell](rowsOf(program, 'petstore', words).join('\n')))
    })
  program.addCommand(completion)
  // Scripts printed by 1.0.0 call this command. It answers that there are no completions.
  const asked = new Command('complete').argument('[words...]').action(() => write(':4\n'))
  if (command === 'complete' && dashes === '--') program.addCommand(asked, { hidden: true })
}

/**
 * Each row has the words before, a possible next word, and its description. A flag with a value also has a row
 * without a next word. `categories`: the values of `--category`.
 */
function rowsOf(command: Command, path: string, categories: string[]): string[] {
  const help = command.createHelp()
  const [commands, flags] = [help.visibleCommands(command), help.visibleOptions(command)]
  const row = (before: string, word = '', text = '') =>
    `${before}\t${word}\t${text.replaceAll("'", '’').replace(/(?: \(|\. |\.?$).*/ms, '')}`
  const valuesOf = (flag: Option) => (flag.long === '--category' ? { argChoices: categories } : flag)
  const choices = (before: string, { argChoices = [] }: { argChoices?: string[] | undefined }) =>
    argChoices.map((choice) => row(before, choice))
  return [
    ...commands.map((inner) => row(path, inner.name(), inner.description())),
    ...command.registeredArguments.flatMap((argument) => choices(path, argument)),
    ...flags.flatMap(({ long, description }) => row(path, long, description)),
    ...flags
      .filter(({ required }) => required)
      .flatMap((flag) => [row(`${path} ${flag.long}`), ...choices(`${path} ${flag.long}`, valuesOf(flag))]),
    ...commands.flatMap((inner) => rowsOf(inner, `${path} ${inner.name()}`, categories)),
  ]
}

/** For zsh and bash 3.2 or later. Bash splits `--status=sold` into three words. */
const FIND = (rows: string) => `_petstore_rows='
${rows}
'
_petstore_find() {
    local at=petstore last= word= next= before= name= text=
    for next; do
        last=\${word:-$last}
        [[ $word != -* && $_petstore_rows == *$'\\n'"$at $word"$'\\t'* ]] && at+=" $word"
        word=\${next#=}
    done
    [[ $last == -* && $_petstore_rows == *$'\\n'"$at $last"$'\\t'* ]] && at+=" $last"
    while IFS=$'\\t' read -r before name text; do
        [[ $before == "$at" && -n $name && $name == "$word"* && ($name != -* || $word == -*) ]] || continue
        found+=("$name") shown+=("$name\${text:+  -- $text}")
    done <<<"$_petstore_rows"
}
`
const SCRIPTS = {
  bash: (rows: string) => `${FIND(rows)}_petstore() {
    local found=() shown=()
    _petstore_find "\${COMP_WORDS[@]:1:COMP_CWORD}"
    COMPREPLY=("\${found[@]}")
}
complete -F _petstore petstore
`,
  zsh: (rows: string) => `#compdef petstore
${FIND(rows)}_petstore() {
    local -a found shown flag
    [[ $PREFIX == --*=* ]] && flag=("\${PREFIX%%=*}") && compset -P 1 '*='
    _petstore_find "\${(@)words[2,CURRENT-1]}" "\${flag[@]}" "$PREFIX"
    compadd -l -d shown -a found
}
compdef _petstore petstore
[[ $funcstack[1] != _petstore ]] || _petstore
`,
  fish: (rows: string) => `set -g __petstore_rows (string split \\n -- '
${rows}
')
function __petstore
    set -l before (string replace -r '\\t.*' '' -- $__petstore_rows)
    set -l at petstore
    set -l last
    for word in (commandline -opc)[2..-1]
        set last $word
        contains -- "$at $word" $before; and not string match -q -- '-*' $word; and set at "$at $word"
    end
    set -l word (commandline -ct)
    set -l flag (string match -r -- '^--[^=]+=' $word); and set last (string trim -r -c = -- $flag)
    set -l first '[^-\\t]'
    if string match -q -- '-*' $last; and contains -- "$at $last" $before
        set at "$at $last"
    else
        set flag
        string match -q -- '-*' $word; and set first -
    end
    string replace -rf -- "^$at\\t($first)" "$flag\\$1" $__petstore_rows
end
complete -c petstore -f -k -a '(__petstore)'
`,
  powershell: (rows: string) => `Register-ArgumentCompleter -Native -CommandName petstore -ScriptBlock {
    param($word, $ast, $cursor)
    $rows = @'
${rows}
'@ -split "\\r?\\n" | ForEach-Object { , ($_ -split "\\t") }
    $before = $rows | ForEach-Object { $_[0] }
    $at, $last, $flag = 'petstore', '', ''
    foreach ($element in $ast.CommandElements | Select-Object -Skip 1) {
        if ($element.Extent.EndOffset -ge $cursor) { break }
        $last = $element.Extent.Text
        if (-not $last.StartsWith('-') -and $before -ccontains "$at $last") { $at = "$at $last" }
    }
    if ($word -match '^(--[^=]+)=') { $flag, $last = $Matches[0], $Matches[1] }
    if ($last.StartsWith('-') -and $before -ccontains "$at $last") { $at = "$at $last" } else { $flag = '' }
    $rows | Where-Object { $_[0] -ceq $at -and $_[1] -and "$flag$($_[1])".StartsWith($word, 'Ordinal') } |
        Where-Object { $word.StartsWith('-') -or -not $_[1].StartsWith('-') } | ForEach-Object {
            $text = if ($_[2]) { $_[2] } else { $_[1] }
            [System.Management.Automation.CompletionResult]::new("$flag$($_[1])", $_[1], 'ParameterValue', $text)
        }
}
`,
}
