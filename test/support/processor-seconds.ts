// The processor time of this process and its ended children.

import { existsSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second (proc(5): utime, stime, cutime, cstime). Other systems omit the children. */
export function processorSeconds(): number {
  if (!existsSync('/proc/self/stat')) return process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6
  const [, afterName = ''] = /^.*\) (.*)/s.exec(readFileSync('/proc/self/stat', 'utf8')) ?? []
  const hundredths = afterName.split(' ').slice(11, 15)
  return hundredths.reduce((sum, each) => sum + Number(each), 0) / 100
}
