import { type Load, type LoadReport, loadOverHttp1, loadOverHttp2 } from '../load-generators.ts'
import { probe } from '../probe.ts'
import type { ComparedRow } from './comparison.ts'
import { type Contender, type Contest, clientCore } from './contenders.ts'
import { host, singleFiles } from './prepared-sites.ts'
import { processorSeconds } from './processor-time.ts'
import { bestOfRounds } from './rounds.ts'

const protocols = {
  'HTTP/2': { scheme: 'https', load: loadOverHttp2 },
  'HTTP/1.1': { scheme: 'https', load: loadOverHttp1 },
  'plain HTTP/1.1': { scheme: 'http', load: loadOverHttp1 },
} as const

export type Protocol = keyof typeof protocols

/** The requests for one file, over and over. */
const cases = singleFiles.flatMap((file) => [
  { ...file, isConditional: false },
  ...(file.name === '4 KB' ? [{ ...file, name: '304 of 4 KB', isConditional: true }] : []),
])
type Case = (typeof cases)[number]
const fewConnections = { connections: 4, streams: 2 }
const largeBytes = 1_000_000

export interface SingleFileOptions {
  protocols: readonly Protocol[]
  /** All unless told otherwise. */
  only?: readonly string[]
  rounds: number
  seconds: number
}

/** Requests per second of processor time for a row of each protocol and file. */
export async function measureSingleFiles(
  contest: Contest,
  options: SingleFileOptions,
): Promise<ComparedRow[]> {
  const rows: ComparedRow[] = []
  for (const protocol of options.protocols) {
    for (const asked of cases) {
      if (options.only !== undefined && !options.only.includes(asked.name)) continue
      const loads = new Map<Contender, Load>()
      for (const contender of contest.contenders)
        loads.set(contender, await prepare(contender, asked, protocol, contest.rootPem, options.seconds))
      const figures = await bestOfRounds(contest.contenders, options.rounds, async (contender) => {
        const before = await processorSeconds(contender.pids)
        const report = await protocols[protocol].load(loads.get(contender) as Load)
        const used = (await processorSeconds(contender.pids)) - before
        return { requests: requestsIn(report, asked), processorSeconds: used }
      })
      rows.push({ name: `${protocol}, ${asked.name}`, figures })
    }
  }
  return rows
}

/** Of large files, those under way at the end count as far as they came. */
function requestsIn({ requests, bytes }: LoadReport, asked: Case): number {
  return asked.bytes < largeBytes ? requests : bytes / asked.bytes
}

/** Checks that this server answers as expected. */
async function prepare(
  { httpPort, httpsPort }: Contender,
  { path, bytes, isConditional }: Case,
  protocol: Protocol,
  rootPem: string,
  seconds: number,
): Promise<Load> {
  const { scheme } = protocols[protocol]
  const at = scheme === 'https' ? { port: httpsPort, rootPem } : { port: httpPort }
  const whole = await probe({ ...at, host, path })
  if (whole.status !== 200 || whole.bytes !== bytes)
    throw new Error(`${path}: ${whole.status}, ${whole.bytes} bytes`)
  const condition: Record<string, string> = isConditional ? { 'If-None-Match': whole.etag ?? '' } : {}
  const { status } = await probe({ ...at, host, path, headers: condition })
  if (status !== (isConditional ? 304 : 200)) throw new Error(`${path}: ${status} to If-None-Match`)
  return {
    url: `${scheme}://${host}:${at.port}${path}`,
    headers: condition,
    core: clientCore,
    seconds,
    ...(bytes >= largeBytes && fewConnections),
  }
}
