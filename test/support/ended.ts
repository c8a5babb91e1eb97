// The expected result of a command.

import { expect } from 'bun:test'

const matching = (text: string | RegExp) =>
  typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text)

/** Matches the exit status, a part of standard error, and all of standard output. */
export const ended = (status: number, stderr: string | RegExp, stdout?: string) =>
  expect.objectContaining({ status, stderr: matching(stderr), ...(stdout === undefined ? {} : { stdout }) })
