// `petstore verify`: checks whether a server keeps the promises of the interface. It has its own exit statuses.

import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { systemReason } from '../../../contract/src/system-reason.ts'
import { FlagError, readSettings } from '../../../service/src/config/read-config.ts'
import { bearerToken, httpUrl, numberFrom, oneOf } from '../../../service/src/config/setting-parsers.ts'
import { VERIFY_SETTINGS } from '../../../service/src/config/settings.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { absolutePath } from '../../../service/src/store/absolute-path.ts'
import { io } from '../../../service/src/system/io.ts'
import { shown } from '../../../verify/src/curl.ts'
import { Examination, type Result } from '../../../verify/src/examination.ts'
import { NotExaminable } from '../../../verify/src/exchange.ts'
import type { Target } from '../../../verify/src/probe.ts'
import { PROMISES } from '../../../verify/src/promises/all.ts'
import { LEVELS, type Level, type PromiseRow } from '../../../verify/src/promises/shared/promise.ts'
import { NegativeResult, NotExamined } from '../terminal/exit-codes.ts'
import { startProgress } from '../terminal/interaction.ts'
import { completing, parsedBy, repeated, withSettingsOf } from '../terminal/options.ts'
import { tryToWrite, writeFile } from '../terminal/output-file.ts'
import { plural, print, printLines } from '../terminal/print.ts'
import { junitReport, listing, report } from '../verify-report.ts'

const TIMEOUT_MAX_S = 60
const TOTAL_MAX_S = 3_600
const EXAMPLES = `
It only reads, unless --write allows it to add pets. Their names begin with
"petstore verify". It does not follow redirects. Promises that could not be
checked in time are reported as not checked.

Examples:
  petstore verify http://127.0.0.1:8080/v1
  petstore verify https://staging.petstore.example/v1 --write --junit verify.xml
  petstore verify --list --level store

Exit statuses:
  0  every promise that was checked is kept
  1  at least one promise is broken
  2  the server could not be examined, too few promises could be checked, or a
     flag is invalid`

interface Options {
  keyFile?: string
  level?: Level[]
  only?: string[]
  write: boolean
  yes: boolean
  list: boolean
  json: boolean
  junit?: string
  timeout: number
  totalTimeout: number
  minChecked: number
}

export function verifyCommand(): Command {
  return withSettingsOf(VERIFY_SETTINGS, new Command('verify'))
    .description('Check which promises of the interface a server keeps.')
    .argument('[url]', 'the base URL, which must end in /v1')
    .option('--key-file <file>', 'a file with the API key')
    .addOption(
      completing(new Option('--level <level>', 'repeatable (default: interface)'), LEVELS).argParser(
        repeated(parsedBy(oneOf(...LEVELS))),
      ),
    )
    .option('--only <id>', 'check only this promise; repeatable', repeated(String))
    .option('--write', 'also run checks that add pets; the server may have no way to delete them', false)
    .option('--yes', 'allow --write with a production key, which begins with pets_live_', false)
    .option('--timeout <seconds>', 'the time limit for one request', parsedBy(secondsUpTo(TIMEOUT_MAX_S)), 10)
    .option('--total-timeout <seconds>', 'the time limit for the whole run', parsedBy(secondsUpTo(TOTAL_MAX_S)), 60)
    .option(
      '--min-checked <percent>',
      'exit with 2 if less than this share of the promises could be checked',
      parsedBy(numberFrom(0, 100)),
      50,
    )
    .option('--list', 'list the promises; needs no server', false)
    .option('--json', 'print JSON, for programs', false)
    .option('--junit <file>', 'also write a JUnit report')
    .addHelpText('after', EXAMPLES)
    .action(async (url: string | undefined, options: Options, self: Command) => {
      try {
        await verify(url, options, self)
      } catch (error) {
        if (error instanceof StartError || error instanceof NotExaminable) {
          throw new NotExamined(error.message, { cause: error })
        }
        throw error
      }
    })
}

async function verify(url: string | undefined, options: Options, self: Command): Promise<void> {
  const chosen = choose(options)
  if (options.list)
    return options.json
      ? print(`${JSON.stringify({ promises: chosen.map(toList) })}\n`)
      : printLines(...listing(chosen))
  const target = targetOf(url, options, self)
  const { junit } = options
  if (junit !== undefined) checkReport(junit)
  const examination = new Examination(target, PROMISES)
  const results = await examine(examination, chosen, target)
  const levels = LEVELS.filter((level) => results.some((result) => result.level === level))
  const tooFew = tooFewChecked(examination, chosen, results, options.minChecked)
  const summary = { target: target.baseUrl.href, levels, results, tooFew }
  if (junit !== undefined) await writeFile(junit, [junitReport(summary)])
  await (options.json ? print(`${JSON.stringify(summary)}\n`) : printLines(...report(summary)))
  if ((await examination.broken()).length > 0) throw new NegativeResult()
  if (tooFew !== undefined) throw new NotExamined(tooFew)
}

/**
 * Returns a sentence if too few promises could be checked. Promises that need a missing flag count only if all of
 * them do.
 */
function tooFewChecked(
  examination: Examination,
  chosen: readonly PromiseRow[],
  results: readonly Result[],
  percent: number,
): string | undefined {
  const possible = chosen.filter((row) => examination.missing(row).length === 0).length || chosen.length
  const checked = results.filter(({ outcome }) => outcome !== 'not_checked').length
  const needed = Math.ceil((possible * percent) / 100)
  if (checked >= needed) return undefined
  return `Only ${checked} of ${plural(possible, 'promise')} could be checked; --min-checked ${percent} needs ${needed}.`
}

async function examine(examination: Examination, chosen: readonly PromiseRow[], target: Target): Promise<Result[]> {
  const progress = startProgress(`Examining ${target.baseUrl.host}`, chosen.length)
  try {
    await examination.begin()
    let done = 0
    const results = await examination.examine(chosen, ({ id }) => progress.update(++done, id))
    const [late] = examination.late
    if (late !== undefined && results.every(({ outcome }) => outcome === 'not_checked')) {
      throw new StartError(
        `The server is too slow: ${plural(examination.late.length, 'promise')} could not be checked, including ${late}.`,
      )
    }
    return results
  } catch (error) {
    if (!(error instanceof NotExaminable)) throw error
    throw new StartError(`The server ${shown(error.message, target)}.`, { cause: error })
  } finally {
    progress.stop()
  }
}

function choose({ level, only }: Options): PromiseRow[] {
  const unknown = only?.find((id) => !PROMISES.some((row) => row.id === id))
  if (unknown !== undefined)
    throw new FlagError(`--only ${unknown}: there is no such promise. Run petstore verify --list to see all.`)
  const levels = level ?? (only ? LEVELS : ['interface'])
  return PROMISES.filter((row) => levels.includes(row.level) && (only?.includes(row.id) ?? true))
}

function toList({ id, level, promise, sources, needs = [] }: PromiseRow) {
  return { id, level, promise, source: sources.join('; '), needs }
}

function targetOf(url: string | undefined, { write, yes, timeout, totalTimeout, keyFile }: Options, self: Command) {
  const baseUrl = parseUrl(url)
  const flags = self.opts<Record<string, string>>()
  if (keyFile !== undefined && flags.apiKey !== undefined) throw new FlagError('Give --key or --key-file, not both.')
  const fromFile = keyFile === undefined ? {} : { apiKey: readKey(keyFile) }
  const { apiKey, readOnlyKey, otherKey } = readSettings(VERIFY_SETTINGS, io().env, { ...flags, ...fromFile })
  if (!apiKey) throw new StartError('There is no API key. Use --key-file, or set PETSTORE_API_KEY.')
  if (write && !yes && apiKey.startsWith('pets_live_')) {
    throw new FlagError(
      '--write with a production key (pets_live_) adds pets to a real store. Add --yes to do it anyway.',
    )
  }
  const keys = { full: apiKey, ...(readOnlyKey && { 'read-only': readOnlyKey }), ...(otherKey && { other: otherKey }) }
  return { baseUrl, keys, write, timeoutMs: timeout * 1000, totalMs: totalTimeout * 1000 }
}

function parseUrl(given: string | undefined): URL {
  if (given === undefined) throw new FlagError('Give the base URL of the server, such as http://127.0.0.1:8080/v1.')
  const text = given.replace(/\/+$/, '')
  const url = httpUrl(text)
  if (!url || !/^[^?#]*\/v1$/.test(text)) {
    throw new FlagError(
      `The base URL must be an http or https address that ends in /v1, such as http://127.0.0.1:8080/v1.`,
    )
  }
  return url
}

function readKey(path: string): string {
  try {
    return bearerToken(readFileSync(absolutePath(path), 'utf8').trim())
  } catch (error) {
    if (!('code' in (error as Error))) throw new FlagError(`The key in ${path} ${(error as Error).message}.`)
    throw new FlagError(`${path} cannot be read (${systemReason(error)}).`)
  }
}

function secondsUpTo(max: number) {
  return (text: string): number => {
    const seconds = Number(text)
    if (/^[0-9]{1,4}(\.[0-9]+)?$/.test(text) && seconds > 0 && seconds <= max) return seconds
    throw new Error(`must be a number of seconds, more than 0 and at most ${max}`)
  }
}

/** Throws FlagError before any request if the file cannot be written. */
function checkReport(path: string): void {
  try {
    tryToWrite(path)
  } catch (error) {
    throw new FlagError(`${path} cannot be written (${systemReason(error)}).`)
  }
}
