import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@masthead/client/client.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { Http2Connection } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'

const header = 'strict-transport-security'

/** The header on a dashboard page, in the API and on a missing page, over HTTPS. */
async function toldBy(dashboardHost: string, env: Record<string, string>) {
  await using masthead = await MastheadProcess.start({
    apiHost: '127.0.0.1',
    env: { MASTHEAD_DASHBOARD_HOST: dashboardHost, ...env },
  })
  const { key } = await createPublisher(masthead)
  const root = await createClient({ server: masthead.origin, key }).getCaRoot()
  const overHttp = await fetch(`${masthead.origin}/healthz`)
  assert.equal(overHttp.headers.get(header), null)
  using connection = await securely(masthead.httpsPort, dashboardHost, root)
  const told = new Set<unknown>()
  for (const path of ['/healthz', '/', '/v1/whoami', '/v1/nothing', '/%zz']) {
    told.add((await connection.ask(dashboardHost, path)).headers[header])
  }
  return [...told]
}

/** The first handshake may come before the certificate is there. */
async function securely(port: number, name: string, root: string): Promise<Http2Connection> {
  for (let attempts = 0; ; attempts++) {
    try {
      return await Http2Connection.to(port, name, root)
    } catch (error) {
      if (attempts === 300) throw error
      await sleep(100)
    }
  }
}

const redirected = { MASTHEAD_HTTPS_REDIRECT: 'on' }

for (const workers of ['1', '2']) {
  test(`HSTS is sent if plain HTTP redirects to HTTPS (${workers} edge)`, async () => {
    const env = { ...redirected, MASTHEAD_WORKERS: workers }
    assert.deepEqual(await toldBy('dash.example', env), ['max-age=31536000'])
  })
}

test('HSTS is not sent if plain HTTP is served, nor on localhost', async () => {
  assert.deepEqual(await toldBy('dash.example', {}), [undefined])
  assert.deepEqual(await toldBy('localhost', redirected), [undefined])
})
