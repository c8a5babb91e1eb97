// How many rows a page of a list has.

import { PAGE_MAX } from '../../../contract/src/generated.ts'

export const PAGE_SIZES = [20, 50, PAGE_MAX]
export const PAGE_SIZE = 20

const { matchMedia } = globalThis as { matchMedia?: (query: string) => { matches: boolean } }
/** Where there is room for more, a list that nobody has chosen a size for begins with more. */
export const FITTING_SIZE = matchMedia?.call(globalThis, '(min-width: 120rem) and (min-height: 60rem)').matches
  ? 50
  : PAGE_SIZE
