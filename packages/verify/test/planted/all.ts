// Realistic faults of kinds that a catalogue can miss. They were written without looking at the catalogue, so they
// have no promise ids.

import type { ContractFaults } from '../../../practice/src/contract-faults/shared/faults.ts'
import { ANSWERS_PLANTED } from './answers.ts'
import { BODIES_PLANTED } from './bodies-and-traces.ts'
import { LISTS_PLANTED } from './keys-and-lists.ts'
import { INTERFACE_CASES, OWN_CASES } from './single-cases.ts'

const OF_SUBJECTS = { ...LISTS_PLANTED, ...BODIES_PLANTED, ...ANSWERS_PLANTED }
export const PLANTED: ContractFaults = { ...OF_SUBJECTS, ...INTERFACE_CASES, ...OWN_CASES }
