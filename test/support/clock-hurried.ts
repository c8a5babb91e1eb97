// Preload this to run the clock 60 times as fast.

const STARTED_AT = Date.now()
const realNow = Date.now
Date.now = () => STARTED_AT + 60 * (realNow() - STARTED_AT)
