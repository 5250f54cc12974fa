import type { MastheadProcess } from '@masthead/testing/masthead-process.ts'

export interface LogLine {
  pid: number
  level: number
  msg: string
  reason?: string
  failures?: number
}

/** What the server logs, by default from now on. A line may have arrived in part. */
export function followLog(masthead: MastheadProcess, start = masthead.output.length): () => LogLine[] {
  return () =>
    masthead.output
      .slice(start)
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine)
}
