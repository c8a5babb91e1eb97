// Preload this to set the clock to 2031, a year after the sunset of getPet.

const AHEAD_MS = Date.UTC(2031, 11, 5) - Date.now()
const { now } = Date
Date.now = () => now() + AHEAD_MS
