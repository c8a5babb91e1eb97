// What the scheduler and a simulated process send each other. The process runs in its own thread, so that the scheduler can stop it between two
// statements while another process runs.

import type { Limits } from '../../packages/service/src/domain/limits.ts'

/** The states of a process, in the first word of the shared memory. */
export const IDLE = 0
export const RUNNING = 1
/** It waits between two statements. */
export const BETWEEN = 2

/** The shared memory: the state, the next failures of the disk and of files, and two clocks. */
export function sharedWords(memory: SharedArrayBuffer) {
  return { words: new Int32Array(memory, 0, 4), clocks: new Float64Array(memory, 16, 2) }
}
export const SHARED_BYTES = 32
export const [STATE, DISK, FILE_FAULT, FILE_CALLS] = [0, 1, 2, 3]
/** Milliseconds since the start of the run, and the wall clock at that time. */
export const [NOW, STARTED_AT] = [0, 1]

/** Errors of all statements, or for the next commit a full disk, or an error before or after it became durable. 0 is no failure. */
export const DISK_FAULTS = ['none', 'read', 'full', 'before', 'after'] as const
export type DiskFault = Exclude<(typeof DISK_FAULTS)[number], 'none'>

/** At a call of the file system: it fails, or the process is killed, or all processes lose power. */
export const FILE_FAULTS = ['error', 'kill', 'power'] as const
export type FileFault = (typeof FILE_FAULTS)[number]

/** The folder for backups and for the state of a forwarder. */
export interface Files {
  readonly folder: string
  /** How many backups are kept. */
  readonly keep: number
  /** The API key of the forwarder. */
  readonly key: string | undefined
  /** Whether the server before lost its power. */
  readonly isPowerFailure: boolean
}

/** Responses of the process have the number of the call. */
export type Call =
  | {
      readonly call: 'start'
      readonly seed: number
      readonly path: string
      readonly limits: Partial<Limits>
      readonly files: Files | undefined
    }
  | { readonly call: 'run'; readonly timer: number }
  | { readonly call: 'respond'; readonly number: number; readonly url: string; readonly init: SentRequest }
  | { readonly call: 'abort'; readonly number: number }
  /** From a simulated database. */
  | { readonly call: 'receive'; readonly message: unknown }
  /** A method of the store. */
  | { readonly call: 'store'; readonly number: number; readonly method: StoreMethod; readonly argument?: unknown }
  /** Resolves with the problems, or with null if the server is still starting. */
  | { readonly call: 'stop'; readonly number: number }
  /** Resolves with the sizes of `watchSize`, by name. */
  | { readonly call: 'sizes'; readonly number: number }
  | { readonly call: 'stopForwarding'; readonly number: number }
  /** Resolves with the problems in the folders. */
  | { readonly call: 'left'; readonly number: number; readonly hasFuture: boolean }

export type StoreMethod = 'createKey' | 'revokeKey' | 'listKeys' | 'listDeprecatedCalls'

export interface SentRequest {
  readonly method: string
  readonly headers: [string, string][]
  readonly body: Uint8Array<ArrayBuffer> | null
}

export interface Step {
  readonly call: Call
  /** The share of statements before which another process runs. */
  readonly betweenShare: number
}

/** What a process did in a step. */
export type Effect =
  | { readonly timer: number; readonly ms: number; readonly isInterval: boolean }
  | { readonly timer: number; readonly isTurn: true }
  | { readonly stopped: number }
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failed: string }
  /** An unhandled rejection or an uncaught exception. */
  | { readonly crashed: string }
  | { readonly logged: string }
  /** The receiver got an event. */
  | { readonly event: number; readonly isTaken: boolean }
  /** The process ended at a call of the file system. */
  | { readonly died: FileFault }
  /** To a simulated database. */
  | { readonly sent: unknown }
  /** The server could not start. */
  | { readonly notStarted: string }

export interface Received {
  readonly status: number
  readonly headers: [string, string][]
  readonly body: ArrayBuffer
}
