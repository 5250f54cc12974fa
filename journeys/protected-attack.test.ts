import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { createPublisher, type Publisher } from '@masthead/testing/clients/publisher.ts'
import { addressOf, formOf, PlainClient } from '@masthead/testing/clients/site-password.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'

const password = 'correct horse battery'
const site = 'secret.masthead.localhost'
const workers = 2

describe('a protected site of a real server with two edge processes', () => {
  let masthead: MastheadProcess
  let publisher: Publisher
  let client: PlainClient
  let root: string
  before(async () => {
    masthead = await MastheadProcess.start({
      env: {
        MASTHEAD_WORKERS: String(workers),
        MASTHEAD_TRUSTED_PROXIES: '127.0.0.1',
        MASTHEAD_COUNTRY_HEADER: 'CF-IPCountry',
      },
    })
    publisher = await createPublisher(masthead)
    root = await (await fetch(`${masthead.origin}/v1/ca.pem`)).text()
    client = new PlainClient(masthead.httpPort)
    for (const slug of ['secret', 'users', 'other']) await publisher.createProject(slug)
    await publisher.publishArchive('secret', tarGz({ 'index.html': 'for guests' }))
    await publisher.publishArchive(
      'users',
      tarGz({
        'index.html': 'for users',
        _headers: `/*\n  Basic-Auth: mia:${password.replaceAll(' ', '-')}\n`,
      }),
    )
    await publisher.publishArchive(
      'other',
      tarGz({
        'index.html': 'open to all',
        'at.html': 'Servus',
        _redirects: '/ /at 302! Country=AT,ch\n/lang /at 302 Language=de\n',
      }),
    )
    const set = await fetch(`${masthead.origin}/v1/projects/secret/protection`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${publisher.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    })
    assert.equal(set.status, 200, await set.text())
  })
  after(async () => {
    client[Symbol.dispose]()
    await masthead.stop()
  })

  /** A new connection each time, so that both processes answer. */
  async function askSecurely(
    host: string,
    path: string,
    headers: Record<string, string> = {},
    form?: string,
  ) {
    const session = connect(`https://127.0.0.1:${masthead.httpsPort}`, { servername: host, ca: root })
    try {
      const method = form === undefined ? 'GET' : 'POST'
      const stream = session.request({
        ...{ ':authority': `${host}:${masthead.httpsPort}`, ':path': path, ':method': method },
        ...{ accept: 'text/html', ...headers },
      })
      stream.end(form)
      const [{ ':status': status, ...fields }] = await once(stream, 'response')
      return { status, fields, body: await text(stream.setEncoding('utf8')) }
    } finally {
      session.destroy()
    }
  }

  test('lets a guest in over HTTPS and HTTP/2, in each process', async () => {
    const { httpsPort } = masthead
    const closed = await askSecurely(site, '/?a=1')
    assert.equal(closed.status, 401)
    const form = new URL(formOf(closed.body))
    assert.deepEqual([form.protocol, form.port], ['https:', String(httpsPort)])
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const origin = `https://${site}:${httpsPort}`
    const sent = await askSecurely(
      form.hostname,
      form.pathname + form.search,
      { ...type, origin },
      new URLSearchParams({ password }).toString(),
    )
    const ticket = new URL(String(sent.fields.location))
    assert.deepEqual([sent.status, ticket.origin, ticket.pathname], [303, origin, '/.masthead/enter'])
    const entered = await askSecurely(site, ticket.pathname + ticket.search)
    assert.deepEqual([entered.status, entered.fields.location], [303, '/?a=1'])
    const [cookie = '', ...attributes] = String(entered.fields['set-cookie']).split('; ')
    assert.match(cookie, /^__Host-masthead-pass=/)
    assert.ok(attributes.includes('Secure') && attributes.includes('HttpOnly'))
    const again = await askSecurely(site, ticket.pathname + ticket.search)
    assert.equal(again.fields['set-cookie'], undefined, 'a ticket works once, whichever process gets it')
    const visits = await Promise.all(
      Array.from({ length: 8 * workers }, (_, n) =>
        askSecurely(site, `/?${n}`, n % 2 === 0 ? { cookie } : {}),
      ),
    )
    assert.deepEqual(
      visits.map(({ status, body }) => (status === 200 ? body : status)),
      visits.map((_, n) => (n % 2 === 0 ? 'for guests' : 401)),
    )
    const elsewhere = await askSecurely('users.masthead.localhost', '/', { cookie })
    assert.equal(elsewhere.status, 401)
  })

  test('guessed from one address and from many, checks a few and lets the right password in', async () => {
    const form = formOf((await client.ask({ host: site })).body)
    const guess = (text: string, from: string) => client.guess(site, form, text, from)
    const oneAddress = await Promise.all(Array.from({ length: 100 }, () => guess('wrong', '192.0.2.9')))
    const checked = oneAddress.filter((one) => one === 'wrong').length
    // Five, and a few more if the machine takes minutes for this.
    assert.ok(checked >= 1 && checked < 20, `${checked} tries`)
    assert.ok(oneAddress.includes('wait'))
    const many = Array.from({ length: 40 }, (_, n) => guess('wrong', addressOf(n)))
    const visitor = guess(password, '198.51.100.1')
    const other = await client.ask({ host: 'other.masthead.localhost' })
    assert.deepEqual([other.status, other.body], [200, 'open to all'])
    assert.equal(await visitor, 'in')
    assert.deepEqual(new Set(await Promise.all(many)), new Set(['wrong']))
    assert.equal(await guess(password, '198.51.100.2'), 'in')
  })

  test('counts programs with a password by the address behind the proxy, and nobody else can name one', async () => {
    const host = 'users.masthead.localhost'
    const right = `Basic ${btoa(`mia:${password.replaceAll(' ', '-')}`)}`
    const ask = async (authorization: string, address: string, from?: string) => {
      const headers = { authorization, 'x-forwarded-for': address }
      return (await client.ask({ host, headers, ...(from && { from }) })).status
    }
    /** Until every process has had its share of them. */
    async function exhaust(address: (n: number) => string, from?: string) {
      const statuses: number[] = []
      for (let n = 0; n < 40 && statuses.filter((one) => one === 429).length < 10; n++)
        statuses.push(await ask(`Basic ${btoa(`mia:wrong${n}`)}`, address(n), from))
      return statuses.filter((one) => one === 401).length
    }
    const tries = await exhaust(() => '192.0.2.77')
    assert.ok(tries <= 2 * (5 + 3), `${tries} tries`)
    const liar = await exhaust((n) => addressOf(n), '127.0.0.5')
    assert.ok(liar <= 2 * (5 + 3), `${liar} tries of somebody who invents addresses`)
    const flood = Array.from({ length: 60 }, (_, n) => ask(`Basic ${btoa(`mia:${n}`)}`, addressOf(n)))
    assert.equal(await ask(right, '198.51.100.9'), 200)
    assert.deepEqual(new Set(await Promise.all(flood)), new Set([401]))
  })

  test('rules know the country that a trusted proxy names, and the first language of anyone', async () => {
    const host = 'other.masthead.localhost'
    const ask = async (headers: Record<string, string>, path = '/', from?: string) => {
      const answer = await client.ask({ host, path, headers, ...(from && { from }) })
      return [answer.status, answer.headers.location, answer.headers.vary]
    }
    const there = [302, '/at', 'CF-IPCountry']
    for (const headers of [{ 'CF-IPCountry': 'AT' }, { 'cf-ipcountry': 'ch' }]) {
      assert.deepEqual(await ask(headers), there, JSON.stringify(headers))
    }
    for (const headers of [{}, { 'CF-IPCountry': 'DE' }, { 'CF-IPCountry': 'AT, CH' }, { country: 'AT' }]) {
      const [status, location, vary] = await ask(headers)
      assert.deepEqual([status, location], [200, undefined], JSON.stringify(headers))
      assert.match(String(vary), /CF-IPCountry/)
    }
    const overHttp2 = (country: string) => askSecurely(host, '/', { 'cf-ipcountry': country })
    assert.deepEqual([(await overHttp2('AT')).fields.location, (await overHttp2('DE')).status], ['/at', 200])
    assert.deepEqual((await ask({ 'CF-IPCountry': 'AT' }, '/', '127.0.0.5')).slice(0, 2), [200, undefined])
    assert.deepEqual(await ask({ 'accept-language': 'de-AT,en;q=0.5' }, '/lang'), [
      302,
      '/at',
      'Accept-Language',
    ])
    assert.equal((await ask({ 'accept-language': 'en,de;q=0.9' }, '/lang'))[0], 404)
  })
})
