#!/usr/bin/env bun
// The command line: which commands there are, and how one ends. 0: done. 1: it could not be done. 2: not understood.

import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json'
import { PetstoreError, StartError } from '../errors.ts'
import { keysCommand } from './keys.ts'
import { serveCommand } from './serve.ts'

const program = new Command('petstore')
  .description('Keeps the animals of a store, and serves them over HTTP.')
  .version(packageJson.version)
  .exitOverride()
  .showHelpAfterError('(petstore --help tells more)')
  .addCommand(serveCommand())
  .addCommand(keysCommand())

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCode(error)
}

function exitCode(error: unknown): number {
  // Commander has already said what it had to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const expected = error instanceof StartError || error instanceof PetstoreError
  process.stderr.write(`petstore: ${expected ? error.message : Bun.inspect(error)}\n`)
  return 1
}
