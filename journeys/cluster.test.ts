import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { until } from '@masthead/testing/until.ts'
import { type Cluster, type ClusterNode, createClusterAccount, startCluster } from './cluster/cluster.ts'
import { DomainChanges } from './cluster/domain-changes.ts'
import { FaultLog, faultsOf, shuffled } from './cluster/faults.ts'
import { type LimitCounts, useUpLimit } from './cluster/limited-calls.ts'
import {
  assertNothingLost,
  mayBeServed,
  noVersions,
  publishVersion,
  publishVersions,
} from './cluster/publishing.ts'
import { host, pageOf, versionOf } from './cluster/sites.ts'
import { Visitor } from './cluster/visitor.ts'

/** A minute shows most faults once; `MASTHEAD_CLUSTER_SECONDS=600` is the whole trial. */
const seconds = Number(process.env.MASTHEAD_CLUSTER_SECONDS ?? 60)
const seed = Number(process.env.MASTHEAD_CLUSTER_SEED ?? Date.now() % 1_000_000)
const limits = { perMinute: 60, perDay: 1_000_000 }
const changing = ['red', 'green', 'blue']
const paths = ['/', '/large.txt'] as const

interface VisitCounts {
  visits: number
  unavailable: number
  failedWhileDown: number
  wrong: string[]
}

/** Every node is ready, and the warm site is there on every edge. */
async function isWhole({ nodes, edges }: Cluster, visitors: readonly Visitor[]): Promise<void> {
  await until(
    async () => {
      const ready = nodes.map(({ process: { httpPort } }) => fetch(`http://127.0.0.1:${httpPort}/readyz`))
      const statuses = await Promise.all(ready).catch(() => [])
      return statuses.length === nodes.length && statuses.every(({ ok }) => ok)
    },
    { everyMs: 50 },
  )
  assert.equal(visitors.length, edges.length)
  for (const path of paths) {
    for (const visitor of visitors) {
      await until(async () => (await visitor.visit(host('warm'), path).catch(() => null))?.status === 200)
    }
  }
}

/** An edge without the database says so, over TLS by an alert (internal_error) if it does not have the certificate yet. */
function isUnavailable({ status, body }: { status: number; body: string }): boolean {
  return status === 503 || (status === 0 && body.includes('SSL alert number 80'))
}

/** Nothing waits longer than a client does, or the failure names what does. */
async function allEnded(work: Readonly<Record<string, Promise<void>>>): Promise<void> {
  const running = new Set(Object.keys(work))
  const ended = Object.entries(work).map(([name, promise]) => promise.finally(() => running.delete(name)))
  const given = new AbortController()
  const tooLong = sleep(60_000, undefined, { signal: given.signal }).then(() =>
    assert.fail(`still running: ${[...running].join(', ')}`),
  )
  await Promise.race([Promise.all(ended), tooLong]).finally(() => given.abort())
}

test('a cluster keeps what it acknowledged, whatever is killed, paused or cut', {
  skip: skipWithout('postgresql', 'redis', 'swift'),
  timeout: (seconds + 300) * 1000,
}, async (t) => {
  await using cluster = await startCluster()
  const publisher = await createClusterAccount(cluster, { perMinute: 10_000_000, perDay: 1_000_000_000 })
  const limited = await createClusterAccount(cluster, limits)
  const log = new FaultLog(seconds > 60 ? console.log : undefined)
  const versions = new Map(['warm', ...changing].map((slug) => [slug, noVersions()]))
  for (const [slug, sent] of versions) {
    await publisher.api.next.createProject({ body: { slug } })
    await publishVersion(publisher, slug, sent)
    assert.equal(sent.acknowledged, 1)
  }
  const root = await publisher.api.next.getCaRoot()
  const stopped = new AbortController()
  const { signal } = stopped
  using connections = new DisposableStack()
  connections.defer(() => stopped.abort())
  const openVisitor = (edge: ClusterNode, protocol: 'h2' | 'http/1.1') =>
    connections.use(new Visitor(edge, protocol, root))
  const checkers = cluster.edges.map((edge) => openVisitor(edge, 'h2'))
  await isWhole(cluster, checkers)
  // Once its certificate is loaded, an edge needs the database no more for a handshake.
  for (const checker of checkers) {
    for (const slug of changing) {
      await until(async () => (await checker.visit(host(slug), '/').catch(() => null))?.status === 200)
    }
  }

  const visits: VisitCounts = { visits: 0, unavailable: 0, failedWhileDown: 0, wrong: [] }

  /** The warm site never fails while its edge runs. The others may be unavailable, but never wrong. */
  async function visitSites(edge: ClusterNode, visitor: Visitor): Promise<void> {
    for (let number = 0; !signal.aborted; number++) {
      const slug = number % 2 === 0 ? 'warm' : (changing[(number >> 1) % changing.length] ?? '')
      // The large one takes as much of the machine as a hundred small ones.
      const path = (number >> 3) % 4 === 3 ? '/large.txt' : '/'
      const sent = versions.get(slug) ?? noVersions()
      const asked = Date.now()
      visits.visits++
      const answer = await visitor
        .visit(host(slug), path)
        .catch((error: unknown) => ({ status: 0, body: String(error) }))
      const what = `${slug}${path} on node ${edge.name} after ${Date.now() - asked} ms: ${answer.status}`
      if (answer.status === 200) {
        const shown = versionOf(answer.body)
        const isWhole = answer.body === pageOf(shown, path)
        if (shown.slug !== slug || !isWhole || !mayBeServed(shown.version, 1, sent))
          visits.wrong.push(`${what} with the content of ${shown.slug} ${shown.version}`)
      } else if (log.wasDown(edge, asked)) visits.failedWhileDown++
      else if (slug !== 'warm' && isUnavailable(answer)) visits.unavailable++
      else visits.wrong.push(`${what} ${answer.body.slice(0, 200)}`)
      await sleep(25)
    }
  }

  const changes = new DomainChanges(publisher, 'warm', log)
  const limitCounts: LimitCounts = { admitted: 0, rejected: 0, wrong: [] }
  const projects: string[] = []
  async function createProjects(): Promise<void> {
    for (let number = 0; !signal.aborted; number++) {
      const slug = `project-${number}`
      const created = publisher.api.next.createProject({
        body: { slug },
        signal: AbortSignal.timeout(15_000),
      })
      await created.then(() => projects.push(slug)).catch(() => {})
      await sleep(500)
    }
  }

  const begun = Date.now()
  const work: Record<string, Promise<void>> = {
    ...Object.assign(
      {},
      ...cluster.edges.map((edge) => ({
        [`visits over HTTP/2 to ${edge.name}`]: visitSites(edge, openVisitor(edge, 'h2')),
        [`visits over HTTP/1.1 to ${edge.name}`]: visitSites(edge, openVisitor(edge, 'http/1.1')),
        [`visits to removed names on ${edge.name}`]: changes.watch(edge, signal),
      })),
      ...changing.map((slug) => ({
        [`publishing ${slug}`]: publishVersions(publisher, slug, versions.get(slug) ?? noVersions(), signal),
      })),
    ),
    'changing domains': changes.change(cluster.edges, signal),
    'creating projects': createProjects(),
    'using up the limit': useUpLimit(limited, cluster.apis, limitCounts, signal),
  }

  const random = createRandom(seed)
  const end = begun + seconds * 1000
  while (Date.now() < end) {
    for (const fault of shuffled(faultsOf(cluster), random)) {
      if (Date.now() >= end) break
      await log.run(fault, 1_000 + random(3_000), () => isWhole(cluster, checkers))
      await sleep(random(1_000))
    }
  }
  stopped.abort()
  await allEnded(work)
  const minutes = (Date.now() - begun) / 60_000

  for (const line of log.lines) t.diagnostic(line)
  const published = [...versions.values()].reduce((sum, { deployments }) => sum + deployments.size, 0)
  t.diagnostic(
    `seed ${seed}: ${log.faults.length} faults, ${visits.visits} visits (${visits.unavailable} unavailable, ` +
      `${visits.failedWhileDown} to nodes that were down), ${published} deployments, ${projects.length} projects, ` +
      `${changes.counts.added} domains added and ${changes.counts.removed} removed ` +
      `(${changes.counts.asked} visits to removed ones), ${limitCounts.admitted} calls admitted of ` +
      `${limitCounts.admitted + limitCounts.rejected} in ${minutes.toFixed(1)} minutes`,
  )

  assert.deepEqual(visits.wrong, [])
  assert.deepEqual(changes.counts.wrong, [])
  assert.deepEqual(limitCounts.wrong, [])
  // A window starts every minute. During an outage of Redis nodes have their shares, and an empty Redis starts from zero.
  const outages = log.count(({ engine }) => engine === 'redis')
  const emptied = log.count(({ emptiesRedis }) => emptiesRedis === true)
  const windows = Math.ceil(minutes) + 1 + outages + emptied
  assert.ok(
    limitCounts.admitted <= windows * limits.perMinute,
    `${limitCounts.admitted} calls were admitted in ${windows} windows of ${limits.perMinute}`,
  )

  await isWhole(cluster, checkers)
  for (const [slug, sent] of versions) await assertNothingLost(publisher, slug, sent)
  for (const client of publisher.api.each) {
    for (const project of projects) await client.getProject({ params: { project } })
  }
  for (const edge of cluster.edges) {
    const visitor = openVisitor(edge, 'http/1.1')
    for (const [slug, sent] of versions) {
      await until(async () => {
        const { status, body } = await visitor.visit(host(slug), '/')
        return status === 200 && mayBeServed(versionOf(body).version, sent.acknowledged, sent)
      })
      for (const { version, url } of [...sent.deployments.values()].slice(-5)) {
        for (const path of paths) {
          const { status, body } = await visitor.visit(new URL(url).hostname, path)
          assert.equal(status, 200, `${url}${path}`)
          assert.ok(body === pageOf({ slug, version }, path), `${url}${path} is not what was published`)
        }
      }
    }
  }
})
