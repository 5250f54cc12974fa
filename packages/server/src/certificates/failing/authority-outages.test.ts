import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { Registry } from 'prom-client'
import type { Database } from '../../database/database.ts'
import { onEachDatabase, openSqlite } from '../../database/each-database.test-kit.ts'
import { day, minute } from '../../kernel/clock.ts'
import type { AcmeAccount } from '../acme/account.ts'
import { AcmeConnection } from '../acme/connection.ts'
import { fetchWithRoots } from '../acme/fetch-with-roots.ts'
import { findAccountRow } from '../acme-account/account-store.ts'
import { faultProxy, refusal } from '../fault-proxy.test-kit.ts'
import { type Node, startOwnPebbleCa, startPebbleCa } from '../issuing.test-kit.ts'
import { requestCertificate } from '../jobs/request-certificate.ts'
import { renewDue } from '../renew.ts'
import { purposes } from '../sealed-columns.ts'
import { keyPairFromPem } from '../x509/key-pair.ts'
import { findAuthorityTrouble } from './authority-trouble.ts'
import { registerCertificateMetrics } from './metrics.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'
const others = ['a.acme.test', 'b.acme.test', 'c.acme.test']
const silent = { warn: () => {} }

const lines = ({ logged }: Node, level: 'warn' | 'info') => logged.filter((line) => line.level === level)

async function failTimes(node: Node, one: string, attempts: number): Promise<void> {
  await node.until(async () => (await node.state(one)).attempts >= attempts)
}

async function retry({ context }: Node, one: string): Promise<void> {
  const at = context.now()
  await context.database.write((tx) => requestCertificate(context, tx, { name: one, reason: 'asked', at }))
}

async function makeDue({ context }: Node): Promise<void> {
  await context.database.write((tx) =>
    tx.updateTable('certificates').set({ renew_at: 0, check_at: 0 }).execute(),
  )
  await renewDue(context, silent)
}

async function measure(database: Database): Promise<string> {
  const metrics = new Registry()
  await registerCertificateMetrics(metrics, { database, now: Date.now })()
  return metrics.metrics()
}

/** As its owner could at the CA. */
async function deactivateAccount(
  { context: { database, sealing } }: Node,
  { directoryUrl, rootsPem }: { directoryUrl: string; rootsPem: string },
): Promise<void> {
  const row = (await findAccountRow(database.read, directoryUrl)) ?? assert.fail()
  const pem = sealing.open(row.sealed_key, purposes.account(directoryUrl)).toString()
  const account: AcmeAccount = { key: keyPairFromPem(pem), url: row.url ?? assert.fail() }
  const connection = new AcmeConnection({ directoryUrl, fetch: fetchWithRoots(rootsPem), now: Date.now })
  await connection.post(account, account.url, { status: 'deactivated' })
}

onEachDatabase('a certificate authority that issues nothing', ({ open }) => {
  test('because it deactivated our account is reported once, and shown with the renewals that fail', {
    skip,
  }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database, { authority: { title: 'Pebble' } })
    await node.get(name)
    assert.equal(await findAuthorityTrouble({ database }), null)
    assert.deepEqual(node.logged, [])

    await deactivateAccount(node, ca.pebble)
    await makeDue(node)
    await node.request(...others)
    for (const one of [name, ...others]) await failTimes(node, one, 1)
    assert.equal((await node.state(name)).lastError?.kind, 'account_refused')
    const [line, ...more] = lines(node, 'warn')
    assert.deepEqual(more, [])
    assert.match(line?.message ?? '', /^Pebble refuses the account of this server, .* MASTHEAD_CA\.$/)
    assert.match(String(Reflect.get(line?.details ?? {}, 'reason')), /^Pebble said: ".*deactivated/)

    const trouble = await findAuthorityTrouble({ database })
    assert.equal(trouble?.isSerious, true)
    assert.match(
      trouble?.problem ?? '',
      /^Pebble refuses .*4 names cannot get a certificate, such as .*deactivated/,
    )

    const metrics = await measure(database)
    assert.match(metrics, /^masthead_certificates_failing\{cause="authority"\} 4$/m)
    assert.match(metrics, /^masthead_certificates_failing\{cause="name"\} 0$/m)
    const { notAfter } = await node.state(name)
    const expiry = /^masthead_certificates_first_expiry_timestamp_seconds\{cause="authority"\} (\d+)$/m
    assert.equal(Number(expiry.exec(metrics)?.[1]) * 1000, Date.parse(notAfter ?? ''))
  })

  test('because of its limits or a fault of its own is reported until it works again', { skip }, async () => {
    const limits = refusal('rateLimited', 'too many orders', { status: 429 })
    const fault = refusal('serverInternal', 'the database is full', { status: 500 })
    for (const [refused, said] of [
      [limits, /^Pebble limits how often this server may order, so certificates wait\./],
      [fault, /^Pebble issues no certificates because of a problem on its side\./],
    ] as const) {
      await using ca = await startPebbleCa()
      const proxy = faultProxy([])
      await using database = await open()
      const authority = { title: 'Pebble', limits: [] }
      await using node = await ca.startWorking(database, { fetch: proxy.fetch, authority })
      await node.get(name)
      proxy.faults.push({ ...refused })
      await makeDue(node)
      for (let attempts = 1; attempts <= 4; attempts++) {
        await failTimes(node, name, attempts)
        await retry(node, name)
      }
      assert.deepEqual(
        lines(node, 'warn').map(({ message }) => said.test(message)),
        [true],
      )
      const trouble = await findAuthorityTrouble({ database })
      assert.equal(trouble?.isSerious, true)
      assert.match(trouble?.problem ?? '', /www\.acme\.test cannot be renewed\. Pebble said: "/)

      proxy.faults.length = 0
      await retry(node, name)
      await node.until(() => node.installed.length === 2)
      assert.deepEqual(
        lines(node, 'info').map(({ message }) => message),
        ['Pebble works again'],
      )
      assert.equal(await findAuthorityTrouble({ database }), null)
      assert.match(await measure(database), /^masthead_certificates_failing\{cause="authority"\} 0$/m)
    }
  })

  test('because it is stopped is reported, also if another one issues', { skip }, async () => {
    await using stopped = await startOwnPebbleCa()
    await stopped.pebble.stop()
    await using ca = await startPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database, undefined, {
      issuer: stopped.issuer({ authority: { title: 'Stopped' } }),
      others: [ca.issuer({ authority: { title: 'Working' } })],
    })
    await node.get(name)
    // One lost connection is no outage.
    assert.deepEqual(node.logged, [])
    node.clock.ahead = 2 * minute
    await node.get('a.acme.test')
    assert.deepEqual(
      lines(node, 'warn').map(({ message }) => message.split(',')[0]),
      ['Stopped cannot be reached'],
    )
    assert.equal(await findAuthorityTrouble({ database }), null)
  })
})

describe('reports about a certificate authority', () => {
  test('are repeated after a day, and not for every order that one refuses and another takes', {
    skip,
  }, async () => {
    await using ca = await startPebbleCa()
    const proxy = faultProxy([
      {
        ...refusal('rateLimited', 'too many certificates for this name', { status: 429 }),
        when: ({ identifiers }) => JSON.stringify(identifiers).includes(name),
      },
    ])
    await using database = await openSqlite()
    const authority = { title: 'Pebble', limits: [] }
    await using node = await ca.startWorking(database, { fetch: proxy.fetch, authority })
    await node.request(name)
    for (const [index, other] of others.entries()) {
      await failTimes(node, name, index + 1)
      await node.get(other)
      await retry(node, name)
    }
    await failTimes(node, name, others.length + 1)
    assert.deepEqual(
      node.logged.map(({ level }) => level),
      ['warn', 'info'],
    )
    node.clock.ahead = 11 * minute
    await retry(node, name)
    await failTimes(node, name, others.length + 2)
    node.clock.ahead = day
    await retry(node, name)
    await failTimes(node, name, others.length + 3)
    assert.equal(lines(node, 'warn').length, 2)
    node.clock.ahead = day + 12 * minute
    await retry(node, name)
    await failTimes(node, name, others.length + 4)
    assert.equal(lines(node, 'warn').length, 3)
  })

  test('are none of a name that does not lead here', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await openSqlite()
    await using node = await ca.startWorking(database)
    ca.edge.node = null
    await node.request(name)
    await failTimes(node, name, 1)
    assert.equal((await node.state(name)).lastError?.kind, 'unauthorized')
    assert.deepEqual(node.logged, [])
    assert.equal(await findAuthorityTrouble({ database }), null)
    assert.match(await measure(database), /^masthead_certificates_failing\{cause="name"\} 1$/m)
  })

  test('are none of what an order replaces, although two in a row may not replace it', { skip }, async () => {
    await using ca = await startPebbleCa()
    const replaced = refusal('alreadyReplaced', 'it was replaced by another order', { status: 409, times: 2 })
    await using database = await openSqlite()
    await using node = await ca.startWorking(database, { fetch: faultProxy([replaced]).fetch })
    await node.request(name)
    await failTimes(node, name, 2)
    assert.deepEqual(node.logged, [])
  })
})
