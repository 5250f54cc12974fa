import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { curl, Http2Connection } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startChromium } from '@masthead/testing/peers/chromium.ts'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFile } from '@masthead/testing/temporary-folder.ts'
import { startCaAndDns } from './ca-and-dns.ts'
import { createTenant, waitUntilLive } from './tenant.ts'

const name = 'www.acme.test'

test('a verified domain goes live automatically, and every client accepts its certificate with the right root', {
  skip: skipWithout('pebble', 'knot', 'curl', 'openssl', 'chromium', 'nss'),
  timeout: 300_000,
}, async (t) => {
  await using around = await startCaAndDns()
  await using masthead = await MastheadProcess.start(around.masthead)
  const { httpPort, httpsPort } = masthead
  const tenant = await createTenant(masthead, 'acme')
  await around.point(await tenant.add(name))
  await tenant.verify(name)
  const [live = assert.fail()] = await waitUntilLive(tenant)
  const { certificate, liveAt } = live
  const root = await around.pebble.issuerRootPem()
  await using rootFile = await temporaryFile('root.pem', root)
  const url = `https://${name}:${httpsPort}/`

  await t.test('the timeline shows every step, with the evidence', async () => {
    const { items } = await tenant.client.listTimeline({ params: { project: 'acme', hostname: name } })
    const story = items.filter(({ kind }) => kind !== 'checked' && kind !== 'probed').toReversed()
    assert.deepEqual(
      story.map(({ kind }) => kind),
      ['added', 'verified', 'certificate_ordered', 'certificate_issued', 'live'],
    )
    const evidence = story.at(-1)?.data.evidence
    assert.partialDeepStrictEqual(evidence, {
      address: '127.0.0.1',
      serial: certificate.serial,
      via: 'edge',
    })
    assert.notEqual(liveAt, null)
    assert.equal(around.pebble.ordersMade(), 1)
  })

  await t.test('from then on plain HTTP redirects to HTTPS', async () => {
    const { status, location } = await curl(`http://${name}:${httpPort}/x?y`, rootFile.path)
    assert.deepEqual([status, location], [308, `${url}x?y`])
  })

  await t.test('Node over HTTP/2', async () => {
    using connection = await Http2Connection.to(httpsPort, name, root)
    assert.partialDeepStrictEqual(await connection.ask(`${name}:${httpsPort}`), { status: 200, body: 'acme' })
    await assert.rejects(Http2Connection.to(httpsPort, name, around.pebble.rootsPem), /certificate/)
  })

  for (const protocol of ['--http1.1', '--http2']) {
    await t.test(`curl ${protocol}`, async () => {
      const version = protocol === '--http2' ? '2' : '1.1'
      const expected = { status: 200, body: 'acme', version, location: '' }
      assert.deepEqual(await curl(url, rootFile.path, protocol), expected)
      await assert.rejects(curl(url, around.pebble.rootsFile, protocol), /unable to get local issuer/)
    })
  }

  await t.test('openssl s_client', async () => {
    const options = ['s_client', '-connect', `127.0.0.1:${httpsPort}`, '-servername', name]
    const trust = ['-CAfile', rootFile.path, '-no-CApath', '-verify_return_error', '-verify_hostname', name]
    const asking = promisify(execFile)(requirePeer('openssl'), [...options, ...trust])
    asking.child.stdin?.end('')
    const { stdout } = await asking
    assert.match(stdout, /Verify return code: 0 \(ok\)/)
  })

  await t.test('Chromium', async () => {
    const namesHere = '*.test'
    await using untrusting = await startChromium({ namesHere })
    const refused = (await untrusting.context.newPage()).goto(url)
    await assert.rejects(refused, /ERR_CERT_AUTHORITY_INVALID/)
    await using trusting = await startChromium({ namesHere, root })
    const page = await trusting.context.newPage()
    const answer = await page.goto(url)
    assert.equal(await page.locator('body').innerText(), 'acme')
    assert.equal((await answer?.securityDetails())?.subjectName, name)
  })

  await t.test('an unknown name is refused in the handshake', async () => {
    const stranger = connect({ host: '127.0.0.1', port: httpsPort, servername: 'other.acme.test', ca: root })
    const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException>()
    stranger.on('error', resolve).on('secureConnect', () => resolve(new Error('the handshake succeeded')))
    assert.equal((await promise).code, 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME')
  })
})
