import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { until } from '@masthead/testing/until.ts'
import { startMailServer } from './mail.test-kit.ts'

test('a server mails the owner when a webhook is disabled, and says that it does', async () => {
  await using mailServer = await startMailServer()
  const { url, from } = mailServer.settings()
  const masthead = await MastheadProcess.start({ env: { MASTHEAD_SMTP_URL: url, MASTHEAD_MAIL_FROM: from } })
  const endpoint = createServer((_req, res) => res.writeHead(410).end()).listen(0, '127.0.0.1')
  try {
    await once(endpoint, 'listening')
    const { port } = endpoint.address() as AddressInfo
    const { origin, firstLink } = masthead
    const server = (await (await fetch(`${origin}/v1/server`)).json()) as { mail: boolean }
    assert.equal(server.mail, true)
    const post = (path: string, body: object, cookie = '') =>
      fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin, cookie, ...account },
        body: JSON.stringify(body),
      })
    let account: Record<string, string> = {}
    const token = new URL(firstLink).hash.slice(1)
    const person = { token, name: 'Ada', email: 'ada@example.com', password: 'a long password' }
    const setUp = await post('/v1/setup', person)
    const cookie = setUp.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const { accounts } = (await setUp.json()) as { accounts: [{ id: string }] }
    account = { 'masthead-account': accounts[0].id }
    const added = await post('/v1/webhooks', { url: `http://127.0.0.1:${port}/hook` }, cookie)
    assert.equal(added.status, 201, await added.text())
    await until(() => mailServer.mails.length === 1, { atMostMs: 50_000 })
    const [{ to, subject, raw } = assert.fail()] = mailServer.mails
    assert.equal(to, 'ada@example.com')
    assert.equal(subject, `The webhook to 127.0.0.1:${port} was disabled`)
    assert.ok(raw.replaceAll('=\r\n', '').includes(`${origin}/accounts/${accounts[0].id}/webhooks`))
  } finally {
    endpoint.close()
    await masthead.stop()
  }
})
