import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startUnbound } from '@masthead/testing/peers/resolvers/unbound.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import type { CaaLookUp } from '../caa/caa.ts'
import { startChallengeDns } from '../challenge-dns/challenge-dns.ts'
import { faultProxy, refusal } from '../fault-proxy.test-kit.ts'
import { createInternalIssuer, ensureInternalRoot } from '../internal-ca/internal-issuer.ts'
import { type NodeOptions, startNode, startOwnPebbleCa, startPebbleCa } from '../issuing.test-kit.ts'
import { findCertificate } from '../read.ts'
import { renewDue } from '../renew.ts'
import type { Delegations } from './delegations.ts'

const skip = skipWithout('pebble', 'knot', 'unbound')
const platform = 'pages.test'
const label = 'k3v9x2m1qp'
const [plain, wild] = ['acme.test', '*.acme.test']
const target = `${label}.acme.${platform}`
const silent = { warn: () => {} }

/** Both names share a record, and so a label. */
const delegations: Delegations = {
  find: async (name) => {
    const record = { type: 'CNAME', fqdn: '_acme-challenge.acme.test', value: target } as const
    return { label, isOnlyWay: name.startsWith('*'), record }
  },
}

/** Knot has the customer's zone, our nameserver the challenges, and unbound finds both for the CA. */
async function startCa(database: Database) {
  await using started = new AsyncDisposableStack()
  const zone = `_acme-challenge 60 CNAME ${target}.`
  const knot = started.use(await startKnot({ zones: { 'acme.test': zone } }))
  const ours = await startChallengeDns({
    database,
    now: Date.now,
    listen: { address: '127.0.0.1', port: 0 },
    naming: { platformDomain: platform, edgeAddresses: ['127.0.0.1'] },
    log: silent,
  })
  started.defer(() => ours.close())
  const startDns = (port: number) =>
    startUnbound({ 'acme.test': knot, [`acme.${platform}`]: ours.address }, port)
  const ca = started.use(await startOwnPebbleCa({ startDns }))
  const running = started.move()
  return { ca, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

onEachDatabase('a certificate for a wildcard', ({ open }) => {
  const namesOf = async (node: Awaited<ReturnType<typeof startNode>>, name: string) => {
    const { chain } = (await findCertificate(node.context, name)) ?? assert.fail(`${name} has none`)
    return new X509Certificate(chain).subjectAltName
  }

  test('and one for the name below the star are ordered at once by DNS, and renewed', { skip }, async () => {
    await using database = await open()
    await using peers = await startCa(database)
    const { ca } = peers
    await using node = await startNode(database, { issuer: ca.issuer({ delegations }) })
    node.work()
    await node.request(plain, wild)
    await node.untilValid(plain, wild)
    assert.equal(await namesOf(node, plain), `DNS:${plain}`)
    assert.equal(await namesOf(node, wild), `DNS:${wild}`)
    assert.equal(ca.edge.requests, 0)
    assert.deepEqual(await database.read.selectFrom('acme_challenges').selectAll().execute(), [])

    const before = await node.state(wild)
    await database.write((tx) => tx.updateTable('certificates').set({ renew_at: 0, check_at: 0 }).execute())
    await renewDue(node.context, silent)
    await node.until(async () => (await node.state(wild)).serial !== before.serial)
    assert.equal(await namesOf(node, wild), `DNS:${wild}`)
    assert.deepEqual(node.errors, [])
  })

  test('costs no order without a nameserver of ours, without the delegation or if issuewild forbids it', {
    skip: skipWithout('pebble'),
  }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    const caaLookUp: CaaLookUp = async (name) => {
      const values = [
        ['issue', 'ca.example'],
        ['issuewild', 'other.example'],
      ]
      const records = values.map(([tag = '', value = '']) => ({ critical: false, tag, value }))
      return { records: name === 'acme.test' ? records : [] }
    }
    const missing: Delegations = {
      find: async (name) => ({ ...((await delegations.find(name)) ?? assert.fail()), label: null }),
    }
    const error = async (name: string, using: Parameters<typeof ca.issuer>[0]) => {
      await using node = await startNode(database, { issuer: ca.issuer(using) })
      node.work()
      await node.request(name)
      await node.until(async () => (await node.state(name)).attempts === 1)
      return (await node.state(name)).lastError
    }
    const none = await error('*.one.test', {})
    assert.equal(none?.kind, 'wildcard')
    assert.match(none?.message ?? '', /nameserver of this platform/)
    const undelegated = await error('*.two.test', { delegations: missing })
    assert.deepEqual(undelegated?.add?.value, target)
    const forbidden = await error(wild, { delegations, caaLookUp, authority: { identities: ['ca.example'] } })
    assert.deepEqual(forbidden?.add, { type: 'CAA', fqdn: plain, value: '0 issuewild "ca.example"' })
    assert.equal(ca.orders.length, 0)
  })

  test('comes from the second authority if the first refuses it', { skip }, async () => {
    await using database = await open()
    await using peers = await startCa(database)
    const { ca } = peers
    await using other = await startPebbleCa()
    const proxy = faultProxy([refusal('rejectedIdentifier', 'no wildcards')])
    await using node = await startNode(database, {
      issuer: other.issuer({ delegations, fetch: proxy.fetch }),
      others: [ca.issuer({ delegations })],
    })
    node.work()
    await node.get(wild)
    assert.equal(await namesOf(node, wild), `DNS:${wild}`)
    const installed = node.progress.find(({ progress }) => progress.step === 'installed')?.progress
    assert.ok(installed?.step === 'installed')
    assert.deepEqual(
      installed.passedOver.map(({ kind }) => kind),
      ['rejected_name'],
    )
  })

  test('comes from the internal CA without any records', async () => {
    await using database = await open()
    const issuer: NodeOptions['issuer'] = async (context) =>
      createInternalIssuer(context, await ensureInternalRoot(context))
    await using node = await startNode(database, { issuer })
    node.work()
    await node.get(wild)
    assert.equal(await namesOf(node, wild), `DNS:${wild}`)
  })
})
