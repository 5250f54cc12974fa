import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { loadOverHttp1 } from '../load-generators.ts'
import { startPublisher } from '../published-site.ts'
import type { Table } from '../report.ts'

const secondsPerRound = 6
const [serverCore, clientCore] = [0, 1]

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/**
 * What limits add to a whole request. There is no server without limits to compare with, so the cheapest route is
 * profiled, and the time inside the limiter, its headers and its events is compared to the rest.
 */
export async function measureLimitsOverHttp(): Promise<Table> {
  await using folder = await temporaryFolder('masthead-profile')
  let rate = 0
  {
    await using publisher = await startPublisher({
      under: ['taskset', '-c', String(serverCore)],
      env: { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=200 --cpu-prof-dir=${folder.path}` },
    })
    const report = await loadOverHttp1({
      url: `${publisher.masthead.origin.replace('localhost', '127.0.0.1')}/v1/whoami`,
      headers: { Authorization: `Bearer ${publisher.key}` },
      core: clientCore,
      seconds: secondsPerRound,
    })
    rate = report.perSecond
  }
  const [file = ''] = await readdir(folder.path)
  const { limits, requests } = split(JSON.parse(await readFile(join(folder.path, file), 'utf8')) as Profile)
  const percent = (part: number) => `${((part / requests) * 100).toFixed(1)} %`
  return {
    title: 'A whole request with limits',
    columns: ['route', 'requests/s under the profiler', 'limits add to the rest'],
    rows: [['GET /v1/whoami', Math.round(rate).toLocaleString('en-US'), percent(limits)]],
    notes: [
      'Processor time inside the limiter, its headers and its events, against that of everything else.',
    ],
  }
}

/** Microseconds inside and outside of limits, without idle time and the profiler's own. */
function split({ nodes, samples, timeDeltas }: Profile): { limits: number; requests: number } {
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const kinds = new Map<number, 'limits' | 'request' | 'none'>()

  function kindOf(id: number | undefined): 'limits' | 'request' | 'none' {
    if (id === undefined) return 'request'
    const known = kinds.get(id)
    if (known !== undefined) return known
    const { functionName = '', url = '' } = byId.get(id)?.callFrame ?? {}
    const idle = functionName === '(idle)' || functionName === '(program)'
    const kind = idle ? 'none' : isLimits(functionName, url) ? 'limits' : kindOf(parents.get(id))
    kinds.set(id, kind)
    return kind
  }

  const spent = { limits: 0, request: 0, none: 0 }
  for (const [index, id] of samples.entries()) spent[kindOf(id)] += timeDeltas[index] ?? 0
  return { limits: spent.limits, requests: spent.request }
}

function isLimits(functionName: string, url: string): boolean {
  if (/\/server\/src\/(limits\/|api\/limit-)/.test(url)) return true
  return url.endsWith('/api/identity/identify.ts') && ['judge', 'applyVerdict'].includes(functionName)
}
