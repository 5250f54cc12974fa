import type { Table } from '../report.ts'
import { compare } from './comparison.ts'
import { startContest } from './contenders.ts'
import { measureMixedLoad } from './mixed/measure.ts'
import { measureSingleFiles } from './single-files.ts'

/** A minute's look at what counts most while one works on it: HTTP/2 beside nginx alone, in short rounds. */
export async function measureEdgeQuickly(): Promise<Table> {
  await using contest = await startContest(['nginx'])
  const settings = { protocols: ['HTTP/2'], rounds: 2, seconds: 2, requests: 400 } as const
  const rows = [
    ...(await measureSingleFiles(contest, { ...settings, only: ['4 KB', '304 of 4 KB', '64 KB'] })),
    ...(await measureMixedLoad(contest, { ...settings })),
  ]
  return compare('Edge, quickly: requests per second of processor time', contest.contenders, rows, [])
}
