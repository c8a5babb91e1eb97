// Faults that a service of somebody else's may well have, of the classes in which a catalogue misses something. They are not written from the
// catalogue: no id stands beside them.

import type { ContractFaults } from '../../../practice/src/contract-faults/shared/faults.ts'
import { ANSWERS_PLANTED } from './answers.ts'
import { BODIES_PLANTED } from './bodies-and-traces.ts'
import { LISTS_PLANTED } from './keys-and-lists.ts'
import { INTERFACE_CASES, OWN_CASES } from './single-cases.ts'

const OF_SUBJECTS = { ...LISTS_PLANTED, ...BODIES_PLANTED, ...ANSWERS_PLANTED }
export const PLANTED: ContractFaults = { ...OF_SUBJECTS, ...INTERFACE_CASES, ...OWN_CASES }
