import { median, ratio, seconds, type Table, whole } from '../report.ts'
import { startCaddy } from './issuance-caddy.ts'
import { startMasthead } from './issuance-masthead.ts'
import { type IssuanceResult, startIssuanceSetup } from './issuance-setup.ts'

const ways = [
  { title: 'one after another', count: 20, atOnce: 1 },
  { title: 'at once', count: 100, atOnce: 100 },
] as const

/** From verified to the first answer over HTTPS, compared to Caddy, which gets certificates at the first handshake. */
export async function measureIssuance(): Promise<Table> {
  await using started = new AsyncDisposableStack()
  const place = started.use(await startIssuanceSetup())
  const contenders = [await startMasthead(place, started), await startCaddy(place, started)]
  const rows: string[][] = []
  for (const { title, count, atOnce } of ways) {
    const results: IssuanceResult[] = []
    for (const { title: who, suffix, get, orders } of contenders) {
      const before = orders()
      const names = Array.from({ length: count }, (_, n) => `shop-${atOnce}-${n}.${suffix}`)
      const got = { ...(await get(names, atOnce)), orders: orders() - before }
      results.push(got)
      rows.push([`${title}, ${who}`, whole(count), ...written(got)])
    }
    const [masthead, caddy] = results
    if (masthead === undefined || caddy === undefined) continue
    const figures = [middle, longest, (got: IssuanceResult) => got.all]
    rows.push([`${title}, to Caddy`, '', ...figures.map((of) => ratio(of(masthead), of(caddy)))])
  }
  return {
    title: 'From verified to the first answer over HTTPS',
    columns: [
      ...['', 'names', 'median', 'longest', 'all', 'orders'],
      ...['refused before', 'refused after', 'lost', 'live, median'],
    ],
    rows,
    notes: [
      'Masthead: from `verifiedAt` of a domain to the first answer with a chain to the root; all: the time from the',
      'calls of verify to the last answer. Caddy: on-demand, from the beginning of the first handshake. Both let a',
      'handshake wait for a certificate that is on its way; who is refused comes again. A Pebble of its own for each, with',
      'the same settings: it validates at once and refuses no nonce. Lost: no answer in three minutes. Live: until our own request through the edge was answered.',
      'Below 1.00× Masthead is the quicker one.',
      '',
      'Refused before: handshakes that ended without a certificate before the first answer.',
      'Refused after: of one visit to each name, all at once, when the API said that they are live (Masthead) or when each',
      'had been shown once (Caddy). It is what a visitor meets who comes when the site is announced.',
    ],
  }
}

const middle = ({ took }: IssuanceResult) => median(took)
const longest = ({ took }: IssuanceResult) => Math.max(...took)

function written(got: IssuanceResult): string[] {
  const counts = [got.orders, got.refusedBefore, got.refusedAfter, got.lost].map(whole)
  const live = got.live === null ? '' : seconds(median(got.live))
  return [...[middle(got), longest(got), got.all].map(seconds), ...counts, live]
}
