// Every lesson, in the order of the report.

import type { Lessons } from '../history.ts'
import { PAGE_LESSONS } from './pages.ts'
import { RETRY_LESSONS } from './retries.ts'
import { STATE_LESSONS } from './state.ts'
import { VALUE_LESSONS } from './values.ts'
import { WAIT_LESSONS } from './waits.ts'

export const LESSONS: Lessons = {
  ...RETRY_LESSONS,
  ...WAIT_LESSONS,
  ...PAGE_LESSONS,
  ...VALUE_LESSONS,
  ...STATE_LESSONS,
}
