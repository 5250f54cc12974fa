import { formOf, PlainClient } from '@masthead/testing/clients/site-password.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { startPublisher } from '../../published-site.ts'
import { milliseconds, percentile, ratio, type Table, whole } from '../../report.ts'
import { serverCore } from '../contenders.ts'
import { startPasswordFlood } from './password-guesses.ts'
import { pinToClientCore, startVisitor } from './start-visitor.ts'

const secondsPerRound = 8
const secondsToWarmUp = 4
const visitEvery = 4
const connections = 256
const password = 'correct horse battery'
const site = 'secret.masthead.localhost'
const other = 'warm.masthead.localhost'
/** What operators were promised: visitors of other sites do not notice. */
const maxSlowdown = 3

/**
 * How long visitors of another site wait while the password of a site is guessed, and whether the right one still gets
 * in. The server has one core, which also hashes; visitor and flood share the other, the visitor first.
 */
export async function measurePasswordFlood(): Promise<Table> {
  using _pinned = pinToClientCore()
  await using publisher = await startPublisher({
    under: ['taskset', '-c', String(serverCore)],
    env: { MASTHEAD_TRUSTED_PROXIES: '127.0.0.1' },
  })
  const { masthead, key } = publisher
  const { httpPort: port } = masthead
  for (const slug of ['secret', 'warm', 'bench']) {
    await publisher.createProject(slug)
    await publisher.publishArchive(slug, tarGz({ 'index.html': 'Benchmarks' }))
  }
  for (const slug of ['secret', 'warm']) {
    await fetch(`${masthead.origin}/v1/projects/${slug}/protection`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    })
  }
  await using visitor = startVisitor({
    ...{ how: 'kept', port, host: 'bench.masthead.localhost', everyMs: visitEvery },
  })
  using guest = new PlainClient(port)
  const form = formOf((await guest.ask({ host: site })).body)
  let guests = 0
  const notes: string[] = []
  const broken: string[] = []

  /** A new server still compiles its code. */
  async function warmUp(): Promise<void> {
    const flood = await startPasswordFlood({ port, site: other, addresses: 1_000, connections })
    await visitor.visitFor(secondsToWarmUp)
    await flood.stop()
  }

  async function visitDuringFlood(addresses: number): Promise<number[]> {
    const flood = await startPasswordFlood({ port, site, addresses, connections })
    const first = await visitor.visitFor(secondsPerRound / 2)
    const before = performance.now()
    const entering = guest
      .guess(site, form, password, `198.51.100.${++guests}`)
      .then((outcome) => ({ outcome, waited: performance.now() - before }))
    const second = await visitor.visitFor(secondsPerRound / 2)
    const { outcome, waited } = await entering
    const seconds = secondsPerRound / 2 + Math.max(secondsPerRound / 2, waited / 1000)
    const counts = await flood.stop()
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const from = addresses === 1 ? 'one address' : `${whole(addresses)} addresses`
    notes.push(
      `From ${from}: ${whole(all)} guesses in ${whole(seconds)} s, of which ${whole(counts.wrong ?? 0)} were checked.`,
      `The right password from elsewhere was let in after ${milliseconds(waited)}.`,
    )
    if (outcome !== 'in') broken.push(`From ${from}, the right password was answered with: ${outcome}`)
    return [...first, ...second]
  }

  await warmUp()
  const calm = await visitor.visitFor(secondsPerRound)
  const one = await visitDuringFlood(1)
  const thousand = await visitDuringFlood(1_000)
  const idle = [...calm, ...(await visitor.visitFor(secondsPerRound))]
  const row = (name: string, each: number[]) => [
    name,
    ...[50, 99].map((percent) => milliseconds(percentile(each, percent))),
    ratio(percentile(each, 99), percentile(idle, 99)),
  ]
  const slowest = Math.max(percentile(one, 99), percentile(thousand, 99)) / percentile(idle, 99)
  if (slowest > maxSlowdown) broken.push(`Visitors of another site wait ${slowest.toFixed(1)} times as long.`)
  return {
    title: 'Visits of another site while a password is guessed',
    columns: ['', 'median', 'p99', 'to calm p99'],
    rows: [row('calm', idle), row('from one address', one), row('from 1,000 addresses', thousand)],
    notes: [`Over ${connections} connections, with the server and its hashing on one core.`, ...notes],
    broken,
  }
}
