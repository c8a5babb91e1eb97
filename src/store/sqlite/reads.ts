// Reads that follow each other share one read transaction: beginning and ending one costs more than finding an animal.
//
// Why each is as fresh as one of its own: the transaction sees the commits before its first read, and it is used only while the
// freshness stamp, asked for at each read, says that there has been none since. It ends with the turn of the event loop, so
// it never keeps the log from being worked into the file, and before this connection writes.

import type { Freshness, Stamp } from './freshness.ts'
import type { Statements } from './statements.ts'

export class Reads {
  private stamp: Stamp | undefined
  private readonly begin
  private readonly commit

  constructor(
    statements: Statements,
    private readonly freshness: Freshness,
  ) {
    this.begin = statements.query('BEGIN')
    this.commit = statements.query('COMMIT')
  }

  /** What `work` reads, or what it throws. */
  read<Result>(work: () => Result): Result {
    const stamp = this.freshness.stamp()
    if (this.stamp !== undefined && this.stamp !== stamp) this.end()
    if (this.stamp === undefined) {
      this.begin.run()
      this.stamp = stamp
      setImmediate(() => this.end())
    }
    try {
      return work()
    } catch (error) {
      this.end()
      throw error
    }
  }

  /** To be called before this connection writes, is replaced or closed. */
  end(): void {
    if (this.stamp === undefined) return
    this.stamp = undefined
    this.commit.run()
  }
}
