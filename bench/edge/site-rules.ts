import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { loadOverHttp1 } from '../load-generators.ts'
import { startPublisher } from '../published-site.ts'
import { ratio, type Table, whole } from '../report.ts'
import { clientCore, serverCore } from './contenders.ts'
import { processesOn, processorSeconds } from './processor-time.ts'

const rounds = 3
const secondsPerRound = 3
/** What sites with rules were promised, if no rule applies to the request. */
const slowest = 0.9

const page = 'All the news that fits. '.repeat(170)
const statics = (mark: string) =>
  Array.from({ length: 10_000 }, (_, at) => `/old/${at} /new/${at} 301${mark}`)
const dynamics = (mark: string) =>
  Array.from({ length: 1_000 }, (_, at) => `/p${at}/:id/* /q${at}/:id/:splat 302${mark}`)
const headers = '/*\n  X-Frame-Options: DENY\n  Referrer-Policy: no-referrer\n/old/*\n  X-Old: 1\n'

const sites = {
  'without rules': {},
  'with 11,000 rules': { _redirects: [...statics(''), ...dynamics('')].join('\n') },
  'with 11,000 forced rules': { _redirects: [...statics('!'), ...dynamics('!')].join('\n') },
  'with 11,000 rules and headers': {
    _redirects: [...statics(''), ...dynamics('')].join('\n'),
    _headers: headers,
  },
} as const

/** Requests for the same page of sites with and without rules, and redirects by the first and the last rule. */
export async function measureSiteRules(): Promise<Table> {
  await using publisher = await startPublisher({ under: ['taskset', '-c', String(serverCore)] })
  const { httpPort } = publisher.masthead
  const pids = await processesOn(httpPort)
  const names = Object.keys(sites)
  for (const [at, rules] of Object.values(sites).entries()) {
    await publisher.createProject(`bench${at}`)
    await publisher.publishArchive(
      `bench${at}`,
      tarGz({ 'index.html': 'front', 'page.html': page, ...rules }),
    )
  }
  const cases = [
    ...names.map((name, at) => ({ name: `page, ${name}`, site: at, path: '/page' })),
    { name: 'redirect by the first of 10,000 rules', site: 1, path: '/old/0' },
    { name: 'redirect by the last of 10,000 rules', site: 1, path: '/old/9999' },
    { name: 'redirect by the last of 1,000 patterns', site: 1, path: '/p999/7/a/b' },
  ]
  const best = cases.map(() => 0)
  for (let round = 0; round < rounds; round++) {
    for (const [at, { site, path }] of cases.entries()) {
      const before = await processorSeconds(pids)
      const url = `http://bench${site}.masthead.localhost:${httpPort}${path}`
      const { requests } = await loadOverHttp1({
        url,
        headers: {},
        core: clientCore,
        seconds: secondsPerRound,
      })
      best[at] = Math.max(best[at] ?? 0, requests / ((await processorSeconds(pids)) - before))
    }
  }
  const [base = 0] = best
  const rows = cases.map(({ name }, at) => [name, whole(best[at] ?? 0), ratio(best[at] ?? 0, base)])
  const broken = names.flatMap((name, at) =>
    (best[at] ?? 0) < slowest * base
      ? [`A page ${name} has less than ${slowest} of the requests without`]
      : [],
  )
  return {
    title: 'Site rules: requests per second of processor time',
    columns: ['plain HTTP/1.1', 'requests', 'to a page without rules'],
    rows,
    notes: ['No rule applies to the page: forced rules are looked at, others come after files.'],
    broken,
  }
}
