import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startUnbound } from '@masthead/testing/peers/resolvers/unbound.ts'
import { openDatabase } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { startChallengeDns } from '../challenge-dns/challenge-dns.ts'
import { type Node, startNode, startOwnPebbleCa } from '../issuing.test-kit.ts'
import type { Delegation } from './delegations.ts'

const skip = skipWithout('pebble', 'knot', 'unbound')
const platform = 'pages.test'
const labelOf = (index: number) => `label${String(index).padStart(5, '0')}`
const count = 200
const names = Array.from({ length: count }, (_, index) => `n${index}.acme.test`)

const delegations = (some: Partial<Delegation> = {}) => ({
  async find(name: string): Promise<Delegation> {
    const label = labelOf(names.indexOf(name))
    const record = {
      type: 'CNAME',
      fqdn: `_acme-challenge.${name}`,
      value: `${label}.acme.${platform}`,
    } as const
    return { label, isOnlyWay: true, record, ...some }
  },
})

/** Knot has the customers' zone, our nameserver the challenges, and unbound finds both for the CA. */
async function startCa(databases: Parameters<typeof startChallengeDns>[0]['database'][]) {
  await using started = new AsyncDisposableStack()
  const records = names.map(
    (_, index) => `_acme-challenge.n${index} 60 CNAME ${labelOf(index)}.acme.${platform}.`,
  )
  const knot = started.use(await startKnot({ zones: { 'acme.test': records.join('\n') } }))
  const [database] = databases
  if (database === undefined) throw new Error('no database')
  const ours = await startChallengeDns({
    database,
    now: Date.now,
    listen: { address: '127.0.0.1', port: 0 },
    naming: { platformDomain: platform, edgeAddresses: ['127.0.0.1'] },
    log: { warn: () => {} },
  })
  started.defer(() => ours.close())
  const resolver = started.use(await startUnbound({ 'acme.test': knot, [`acme.${platform}`]: ours.address }))
  const ca = started.use(await startOwnPebbleCa({ dnsServer: resolver.server }))
  const running = started.move()
  return { ca, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

onEachDatabase('delegated challenges', ({ location, dialect }) => {
  if (dialect === 'sqlite') return

  test(`${count} names at once with a node killed in the middle: all issued, one order each, by DNS alone`, {
    skip,
  }, async () => {
    await using place = await location()
    const silent = { warn: () => {} }
    const databases = await Promise.all([1, 2, 3].map(() => openDatabase(place, silent)))
    const [one, two, three] = databases
    assert.ok(one !== undefined && two !== undefined && three !== undefined)
    {
      // Answers from a node that places no order.
      await using peers = await startCa([three])
      const { ca } = peers
      const start = (database: typeof one) =>
        startNode(database, { issuer: ca.issuer({ delegations: delegations() }), concurrency: 20 })
      await using killed = await start(one)
      await using other: Node = await start(two)
      other.work()
      killed.work()
      await other.request(...names)
      await other.until(() => killed.installed.length >= 10)
      // As a kill would: what it has begun is never finished, and its leases run out.
      killed.isGone = true
      await one.close()
      await other.untilValid(...names)
      assert.equal(ca.orders.length, count)
      assert.equal(ca.edge.requests, 0)
      await other.stopWorking()
      await other.until(async () => {
        const left = await two.read.selectFrom('acme_challenges').selectAll().execute()
        return left.length === 0
      })
    }
    await Promise.all([two.close(), three.close()])
  })
})
