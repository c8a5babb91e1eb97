// What a test expects of a command that has ended.

import { expect } from 'bun:test'

const matching = (text: string | RegExp) =>
  typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text)

/** Its status, what its standard error has in it, and all of its standard output. */
export const ended = (status: number, stderr: string | RegExp, stdout?: string) =>
  expect.objectContaining({ status, stderr: matching(stderr), ...(stdout === undefined ? {} : { stdout }) })
