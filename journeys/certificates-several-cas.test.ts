import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from 'node:tls'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startOpensslCa } from '@masthead/testing/peers/openssl-ca.ts'
import { borrowPebble } from '@masthead/testing/peers/pebble/borrow-pebble.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFile } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { assertServed, startCaAndDns } from './ca-and-dns.ts'
import { createTenant, waitUntilLive } from './tenant.ts'

const names = ['a.acme.test', 'b.acme.test', 'c.acme.test']
const [own = ''] = names

test('of three authorities one is stopped and one refuses: names go live, and the timeline tells how', {
  skip: skipWithout('pebble', 'knot', 'openssl'),
  timeout: 300_000,
}, async (t) => {
  await using around = await startCaAndDns()
  const { env } = around.masthead
  await using stopped = await borrowPebble()
  await stopped.stop()
  // It wants an external account, which we do not have.
  const externalAccounts = { kid: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' }
  await using refusing = await borrowPebble({ externalAccounts })
  await using roots = await temporaryFile('roots.pem', refusing.rootsPem + around.pebble.rootsPem)
  const directories = [stopped, refusing, around.pebble].map(({ directoryUrl }) => directoryUrl)
  await using masthead = await MastheadProcess.start({
    ...around.masthead,
    env: { ...env, MASTHEAD_CA: directories.join(','), MASTHEAD_CA_ROOTS: roots.path },
  })
  const tenant = await createTenant(masthead, 'acme')
  const domains: Domain[] = []
  for (const name of names) domains.push(await tenant.add(name))
  await around.point(...domains)
  for (const name of names) await tenant.verify(name)
  const live = await waitUntilLive(tenant)
  assert.equal(live.length, names.length)
  await assertServed(masthead, names, { root: await around.pebble.issuerRootPem(), page: 'acme' })
  const hosts = directories.map((url) => new URL(url).host)
  for (const { hostname, certificate } of live) {
    const { items } = await tenant.client.listTimeline({ params: { project: 'acme', hostname } })
    const issued = items.find(({ kind }) => kind === 'certificate_issued')
    assert.equal(issued?.data.authority, hosts[2])
    for (const passedOver of [
      certificate.passedOver,
      issued?.data.passedOver as typeof certificate.passedOver,
    ]) {
      assert.deepEqual(
        passedOver.map(({ authority, kind }) => [authority, kind]),
        [
          [hosts[0], 'unreachable'],
          [hosts[1], 'account_refused'],
        ],
      )
    }
  }
  assert.deepEqual([refusing.ordersMade(), around.pebble.ordersMade()], [0, names.length])

  await t.test('an own certificate replaces it and is replaced, and no handshake fails', async () => {
    const ca = await startOpensslCa()
    const { leaf, key } = await ca.issue({ names: [own] })
    await ca.remove()
    const issuers: string[] = []
    let isOver = false
    const visiting = (async () => {
      while (!isOver) issuers.push(await issuerSeen(masthead.httpsPort, own))
    })()
    const params = { project: 'acme', hostname: own }
    const seen = (isSo: (issuer: string) => boolean) => {
      const from = issuers.length
      return until(() => issuers.slice(from).some(isSo))
    }
    const isOwn = (issuer: string) => issuer === 'Test Intermediate'
    await seen((issuer) => !isOwn(issuer))
    await tenant.client.uploadCertificate({ params, body: { chain: leaf + ca.intermediate, key } })
    // Every connection from here on gets it.
    assert.ok(isOwn(await issuerSeen(masthead.httpsPort, own)))
    await seen(isOwn)
    await tenant.client.handOverCertificate({ params })
    await seen((issuer) => !isOwn(issuer))
    isOver = true
    await visiting
    const { certificate } = await tenant.domain(own)
    assert.deepEqual([certificate.status, certificate.own, certificate.issuer], ['valid', null, hosts[2]])
  })
})

/** Who issued the certificate that a new connection gets. */
function issuerSeen(port: number, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().issuer.CN))
      socket.end()
    })
    socket.once('error', reject)
  })
}
