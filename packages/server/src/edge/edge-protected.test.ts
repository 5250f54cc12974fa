import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hour } from '../kernel/clock.ts'
import { newTicket, Passes } from '../protection/passes.ts'
import { credentialId, type SiteProtection } from '../protection/protection.ts'
import { type Answer, startEdge } from './edge.test-kit.ts'

const key = Buffer.alloc(32, 7)
const passes = new Passes(key)
const hash = 'argon2id$1$1$1$c2FsdA==$dGFn'
const protection: SiteProtection = { scope: 'site', paths: [], note: '', hash }
const secret = 'what only guests may read'
const hello = { host: 'hello.masthead.localhost', projectId: 'prj_hello' }

const files = {
  '/index.html': secret,
  '/404.html': `missing, and ${secret}`,
  '/members/index.html': secret,
  '/members/list.html': secret,
  '/members/data.json': secret,
  '/members/404.html': secret,
  '/über/seite.html': secret,
  '/.well-known/acme-challenge/token': 'a proof',
  '/assets/app.8f2a1c3d.js': secret,
}

describe('a protected site', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>
  before(async () => {
    edge = await startEdge()
    await edge.publish('hello', files, { protection, encoded: true })
    const paths = { ...protection, scope: 'paths' as const, paths: ['/members', '/über'] }
    const redirects =
      '/way-in /members/list.html 200\n/forced /members/data.json 200!\n/go /members/list 302\n/gone/* /members/404.html 404\n'
    await edge.publish(
      'some',
      { ...files, '/index.html': 'open', '/404.html': 'nothing here', '/_redirects': redirects },
      {
        protection: paths,
      },
    )
    await edge.publish(
      'app',
      { '/index.html': 'the app', '/members/x.html': secret },
      { protection: paths, singlePage: true },
    )
    const previews = { ...protection, scope: 'previews' as const }
    await edge.publish('shown', { '/index.html': 'open' }, { protection: previews })
    await edge.publish('abc--shown', { '/index.html': secret }, { protection: previews })
    const rules = '/.well-known/pki-validation/elsewhere https://ca.example/\n/* /index.html 200'
    const proofs = { '/.well-known/pki-validation/a%.txt': 'a proof', '/_redirects': rules }
    await edge.publish('spa', { '/index.html': secret, ...proofs }, { protection })
    await edge.publish('noted', files, { protection: { ...protection, note: 'اسأل ليلى (Layla)!' } })
    edge.routes.set('example.com', { kind: 'site', slug: 'hello' })
    edge.routes.set('spa.example.com', { kind: 'site', slug: 'spa' })
  })
  after(() => edge[Symbol.asyncDispose]())

  function passFor(
    site: { host: string; projectId: string },
    more: { credentials?: string[]; expiresAt?: number } = {},
  ): string {
    const { credentials = [credentialId(hash)], expiresAt = Date.now() + 60_000 } = more
    return passes.sign('pass', { ...site, credentials, visitor: 'v', expiresAt })
  }

  const cookie = (value: string) => ({ cookie: `a=b; masthead-pass=${value}; c=d` })

  function assertClosed({ status, headers, body }: Answer, what = ''): void {
    assert.equal(status, 401, what)
    assert.ok(!body.includes(secret), what)
    for (const name of ['etag', 'last-modified', 'link', 'location', 'content-range', 'www-authenticate']) {
      assert.equal(headers[name], undefined, `${what} ${name}`)
    }
    assert.equal(headers['cache-control'], 'no-store')
  }

  test('asks for the password on a page that needs no script, and says whom to ask', async () => {
    const answer = await edge.ask('/?a="><script>', {})
    assertClosed(answer)
    const page = answer.body.toString()
    assert.match(page, /<form method="post" action="http:\/\/localhost:8080\/site-sign-in\?request=/)
    assert.match(page, /<label for="password">/)
    assert.match(page, /autocomplete="current-password"/)
    assert.match(page, /hello\.masthead\.localhost is protected/)
    const [, signed = ''] = /href="http:\/\/localhost:8080\/enter-site#request=([^&]+)/.exec(page) ?? []
    const { expiresAt = 0 } = passes.open('request', signed) ?? {}
    assert.ok(expiresAt > Date.now() && expiresAt <= Date.now() + hour)
    assert.doesNotMatch(page, /<script/)
    assert.match(
      String(answer.headers['content-security-policy']),
      /form-action 'self' http:\/\/localhost:8080;/,
    )
  })

  test('shows the note of the owner in its own direction', async () => {
    const { body } = await edge.ask('/', { host: 'noted.masthead.localhost' })
    assert.match(body.toString(), /<p dir="auto">اسأل ليلى \(Layla\)!<\/p>/)
  })

  test('stays closed whatever the request asks for', async () => {
    const paths =
      '/ // /index.html /index /./ /%2e/ /members/ /members /MEMBERS/ /nowhere /a/../ /members/list /members/list/ ' +
      '/members/list.html /members/%6cist /members//list /%C3%BCber/seite /assets/app.8f2a1c3d.js /_headers ' +
      '/.well-known/other /%2ewell-known/acme-challenge /%zz /?x /.masthead/ /.masthead/Enter /.masthead/sign-in/x ' +
      '/%2emasthead/enter http://hello.masthead.localhost/members/list'
    for (const path of paths.split(' ')) {
      for (const headers of [
        {},
        { range: 'bytes=0-3' },
        { 'accept-encoding': 'br' },
        { 'if-none-match': '*' },
        { accept: 'application/json' },
      ]) {
        const answer = await edge.ask(path, headers)
        assertClosed(answer, `${path} ${JSON.stringify(headers)}`)
      }
    }
    assertClosed(await edge.ask('/', {}, 'HEAD'))
    assert.equal((await edge.ask('/', {}, 'POST')).status, 405)
  })

  test('opens for a pass, and is kept by nobody but the visitor', async () => {
    const headers = cookie(passFor(hello))
    for (const path of ['/', '/members/list', '/assets/app.8f2a1c3d.js']) {
      const answer = await edge.ask(path, headers)
      assert.equal(answer.status, 200, path)
      assert.equal(answer.body.toString(), secret)
      assert.equal(answer.headers['cache-control'], 'private, no-cache')
    }
    assert.equal((await edge.ask('/nowhere', headers)).status, 404)
    assert.equal(
      (await edge.ask('/members/list.html', headers)).headers['cache-control'],
      'private, no-cache',
    )
    const part = await edge.ask('/', { ...headers, range: 'bytes=0-3' })
    assert.deepEqual([part.status, part.headers['cache-control']], [206, 'private, no-cache'])
    const { etag } = (await edge.ask('/', headers)).headers
    const same = await edge.ask('/', { ...headers, 'if-none-match': String(etag) })
    assert.deepEqual([same.status, same.headers['cache-control']], [304, 'private, no-cache'])
    assertClosed(await edge.ask('/', { 'if-none-match': String(etag) }))
  })

  test('does not open for the pass of another host, project or password, an expired or a changed one', async () => {
    const good = passFor(hello)
    const [text = '', mac = ''] = good.split('.')
    const changed = Buffer.from(
      JSON.stringify({ ...hello, credentials: [credentialId(hash)], visitor: 'v', expiresAt: 9e15 }),
    ).toString('base64url')
    const ticket = passes.sign(
      'ticket',
      newTicket(hello, [credentialId(hash)], { now: Date.now(), lifetime: 9e9, visitor: null }),
    )
    const refused = {
      'another host': passFor({ ...hello, host: 'example.com' }),
      'another project': passFor({ ...hello, projectId: 'prj_some' }),
      'an old password': passFor(hello, { credentials: [credentialId('another')] }),
      expired: passFor(hello, { expiresAt: Date.now() - 1 }),
      'another key': new Passes(Buffer.alloc(32, 8)).sign('pass', {
        ...hello,
        credentials: [credentialId(hash)],
        visitor: 'v',
        expiresAt: 9e15,
      }),
      'another content': `${changed}.${mac}`,
      'no signature': `${text}.`,
      'half a signature': `${text}.${mac.slice(0, 10)}`,
      'a ticket': ticket,
      'a request': passes.sign('request', {
        ...hello,
        secure: false,
        deploymentId: null,
        asksForUser: false,
        member: '',
        expiresAt: 9e15,
      }),
      nothing: '',
      'too long': 'a'.repeat(9_000),
    }
    for (const [what, value] of Object.entries(refused))
      assertClosed(await edge.ask('/', cookie(value)), what)
    assertClosed(await edge.ask('/', { cookie: `x-masthead-pass=${good}` }))
    assertClosed(await edge.ask('/', { cookie: `__Host-masthead-pass=${good}` }))
    assert.equal((await edge.ask('/', { cookie: `masthead-pass=wrong; masthead-pass=${good}` })).status, 200)
  })

  test('is open on challenge paths only, without telling what else there is', async () => {
    const host = { host: 'example.com' }
    const proof = await edge.ask('/.well-known/acme-challenge/token', host)
    assert.deepEqual([proof.status, proof.body.toString()], [200, 'a proof'])
    const missing = await edge.ask('/.well-known/acme-challenge/none', host)
    assert.equal(missing.status, 404)
    assert.ok(!missing.body.includes(secret))
    assertClosed(await edge.ask('/.well-known/acme-challenge/../../index.html', host))
    assertClosed(await edge.ask('/', host))
    const spa = { host: 'spa.example.com' }
    for (const path of ['/.well-known/pki-validation/x', '/%2ewell-known/acme-challenge/x']) {
      const shown = await edge.ask(path, spa)
      assert.deepEqual([shown.status, shown.body.includes(secret)], [404, false], path)
    }
    assert.equal((await edge.ask('/.well-known/pki-validation/a%25.txt', spa)).body.toString(), 'a proof')
    assert.equal((await edge.ask('/.well-known/pki-validation/elsewhere', spa)).status, 301)
    const pass = passFor({ host: 'example.com', projectId: 'prj_hello' })
    assert.equal((await edge.ask('/', { ...host, ...cookie(pass) })).status, 200)
  })

  test('protects paths under every spelling, and files that rules show elsewhere', async () => {
    const host = { host: 'some.masthead.localhost' }
    for (const path of ['/', '/nowhere', '/membership', '/membersx/', '/MEMBERS/list', '/%6Dember']) {
      const { status, headers } = await edge.ask(path, host)
      assert.notEqual(status, 401, path)
      assert.doesNotMatch(String(headers['cache-control']), /private/, path)
    }
    const spellings =
      '/members /members/ /members/index.html /members/index /members/list /members/list.html /members/list/ ' +
      '//members/list /members//list /%6dembers/list /m%65mbers/data.json /members/none ' +
      '/%c3%bcber/seite /u%cc%88ber/seite /way-in /way-in?x=1 /forced /gone/x'
    for (const path of spellings.split(' ')) {
      assertClosed(await edge.ask(path, host), path)
    }
    for (const path of ['/members%2flist', '/members/../members/list', '/members/./list', '/\xfcber/seite']) {
      const answer = await edge.ask(path, host)
      assert.ok(!answer.body.includes(secret), path)
    }
    assert.equal((await edge.ask('/go', host)).status, 302)
    const inside = cookie(passFor({ host: host.host, projectId: 'prj_some' }))
    const shown = await edge.ask('/way-in', { ...host, ...inside })
    assert.deepEqual([shown.status, shown.headers['cache-control']], [200, 'private, no-cache'])
  })

  test('protects the views of a single-page app below a protected path', async () => {
    const host = { host: 'app.masthead.localhost' }
    assert.equal((await edge.ask('/view', host)).status, 200)
    assertClosed(await edge.ask('/members/view', host))
    assertClosed(await edge.ask('/members/x', host))
  })

  test('can be protected in its previews only', async () => {
    assert.equal((await edge.ask('/', { host: 'shown.masthead.localhost' })).status, 200)
    assertClosed(await edge.ask('/', { host: 'abc--shown.masthead.localhost' }))
  })

  test('lets a visitor with a ticket in once, and back to the page they wanted', async () => {
    const ticket = (more: object = {}) =>
      passes.sign('ticket', {
        ...newTicket(hello, [credentialId(hash)], { now: Date.now(), lifetime: 60_000, visitor: null }),
        ...more,
      })
    const enter = (signed: string, to: string, method = 'GET', headers = {}) =>
      edge.ask(`/.masthead/enter?${new URLSearchParams({ ticket: signed, to })}`, headers, method)
    const one = ticket()
    assert.equal((await enter(one, '/', 'HEAD')).headers['set-cookie'], undefined)
    const entered = await enter(one, '/members/list?a=1')
    assert.equal(entered.status, 303)
    assert.equal(entered.headers.location, '/members/list?a=1')
    assert.equal(entered.headers['referrer-policy'], 'no-referrer')
    const [set = ''] = entered.headers['set-cookie'] ?? []
    assert.match(set, /^masthead-pass=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
    const given = { cookie: set.split(';')[0] ?? '' }
    assert.equal((await edge.ask('/members/list?a=1', given)).status, 200)
    for (const signed of [
      one,
      ticket({ usableUntil: Date.now() - 1 }),
      ticket({ host: 'example.com' }),
      ticket({ projectId: 'prj_x' }),
      passFor(hello),
      '',
    ]) {
      const again = await enter(signed, '/members/list')
      assert.equal(again.headers['set-cookie'], undefined)
      assert.match(
        String(again.headers.location),
        /^\/\.masthead\/sign-in\?to=%2Fmembers%2Flist&trouble=used$/,
      )
    }
    const out = await edge.ask('/.masthead/sign-out', given)
    assert.match(String(out.headers['set-cookie']), /^masthead-pass=; Path=\/; Max-Age=0;/)
    for (const to of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'evil',
      '/\tevil',
      '/.masthead/enter',
      '/a\r\nSet-Cookie: x=1',
      '/ü',
    ]) {
      assert.equal((await enter(ticket(), to)).headers.location, '/', to)
    }
  })

  test('keeps what a visitor showed before, and says what went wrong', async () => {
    const credentials = ['first']
    const before = passFor(hello, { credentials })
    const signed = passes.sign(
      'ticket',
      newTicket(hello, ['second'], { now: Date.now(), lifetime: 60_000, visitor: null }),
    )
    const { headers } = await edge.ask(`/.masthead/enter?ticket=${signed}&to=/`, cookie(before))
    const value = String(headers['set-cookie']).slice('masthead-pass='.length).split(';')[0] ?? ''
    assert.deepEqual(passes.open('pass', value)?.credentials, ['second', 'first'])
    const page = async (query: string, more = {}) =>
      edge.ask(`/.masthead/sign-in?to=/members/&${query}`, more)
    const wrong = await page('trouble=wrong')
    assert.equal(wrong.status, 401)
    assert.match(wrong.body.toString(), /role="alert"[^>]*>Wrong password/)
    const wait = await page('wait=30')
    assert.deepEqual([wait.status, wait.headers['retry-after']], [429, '30'])
    assert.equal((await page('trouble=busy')).status, 503)
    assert.match((await page('x=1', cookie(before))).body.toString(), /name="known"/)
    const inside = await page('', cookie(passFor(hello)))
    assert.deepEqual([inside.status, inside.headers.location], [303, '/members/'])
    const back = await page('trouble=wrong', cookie(passFor(hello)))
    assert.deepEqual([back.status, back.headers.location], [303, '/members/'])
  })

  test('is not served from memory once its password has changed', async () => {
    const { record } = await edge.publish('moved', { '/index.html': 'open' })
    const host = { host: 'moved.masthead.localhost' }
    assert.equal((await edge.ask('/', host)).status, 200)
    record.protection = protection
    edge.edge.changed({ slug: 'moved', stopped: true })
    edge.database.isAway = true
    assert.equal((await edge.ask('/', host)).status, 503)
    edge.database.isAway = false
    assertClosed(await edge.ask('/', host))
    record.protection = { ...protection, hash: 'another' }
    edge.edge.changed({ slug: 'moved', stopped: true })
    assertClosed(
      await edge.ask('/', { ...host, ...cookie(passFor({ host: host.host, projectId: 'prj_moved' })) }),
    )
    record.protection = null
    edge.edge.changed({ slug: 'moved', stopped: true })
    assert.equal((await edge.ask('/', host)).status, 200)
  })
})
