// Preloaded into a process whose clock is to be set later: it is a year past the removal of getPet.

const AHEAD_MS = Date.UTC(2031, 11, 5) - Date.now()
const { now } = Date
Date.now = () => now() + AHEAD_MS
