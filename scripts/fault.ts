/** Something a check found, at a place a reader can open. */
export interface Fault {
  file: string
  line: number
  message: string
}

/** Prints one line per fault and lets the process fail if there is any. */
export function reportFaults(faults: readonly Fault[]): void {
  for (const { file, line, message } of faults) console.log(`${file}:${line} ${message}`)
  if (faults.length > 0) process.exitCode = 1
}
