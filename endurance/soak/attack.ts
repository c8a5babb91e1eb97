// Some hostile requests to the service at SOAK_URL, in a process of its own: generating them would hold up the soak's clients.

import { hostile } from '../hostile.ts'

const HOSTILE_REQUESTS = 80

await hostile({ url: process.env.SOAK_URL ?? '', key: process.env.SOAK_KEY ?? '' }, HOSTILE_REQUESTS)
