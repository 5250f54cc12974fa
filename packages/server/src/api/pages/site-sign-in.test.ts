import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import type { Database } from '../../database/database.ts'
import { openSqlite } from '../../database/each-database.test-kit.ts'
import { tarGz } from '../../deployments/archive/tar.test-kit.ts'
import { readRules } from '../../deployments/manifest-document.ts'
import { day, minute } from '../../kernel/clock.ts'
import { cheapHash } from '../../protection/cheap-hash.test-kit.ts'
import { createMemberCheck } from '../../protection/members.ts'
import { Passes, type SignInRequest } from '../../protection/passes.ts'
import { type ApiUnderTest, nobody, startApi } from '../api.test-kit.ts'

const passes = new Passes(Buffer.alloc(32, 7))
const password = 'correct horse battery'
const host = 'site.masthead.localhost'
const origin = `http://${host}:8080`

/** A protected project of its own for each test, with a password that is cheap to check. */
async function protect(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read', 'deploy'])
  const json = { slug: `site-${++count}` }
  const { body: project } = await api.send<Project>('POST /v1/projects', caller, { json })
  const protection = JSON.stringify({
    scope: 'site',
    paths: [],
    note: '',
    hash: cheapHash(password),
    passwordSetAt: 0,
  })
  await api.context.database.write((tx) =>
    tx.updateTable('projects').set({ protection }).where('id', '=', project.id).execute(),
  )
  return { caller, accountId: id, project, asked: requestFor(project) }
}

let count = 0

function requestFor(project: Project): SignInRequest {
  const common = { secure: false, deploymentId: null, asksForUser: false, member: 'm-everything' }
  return { host, projectId: project.id, ...common, expiresAt: 9e15 }
}

function guess(
  api: ApiUnderTest,
  asked: SignInRequest,
  text: string,
  more: { user?: string; from?: string; headers?: Record<string, string>; known?: string; to?: string } = {},
) {
  const query = new URLSearchParams({ request: passes.sign('request', asked), to: more.to ?? '/a?b=1' })
  const form = new URLSearchParams({
    password: text,
    ...(more.known === undefined ? {} : { known: more.known }),
    ...(more.user === undefined ? {} : { user: more.user }),
  })
  const type = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin }
  const from = more.from === undefined ? {} : { 'X-Forwarded-For': more.from }
  return api.send(`POST /site-sign-in?${query.toString()}`, nobody, {
    headers: { ...type, ...from, ...more.headers },
    body: form.toString(),
  })
}

function outcome(answer: { status: number; headers: Headers }): string {
  const location = URL.parse(answer.headers.get('location') ?? '')
  if (location === null) return String(answer.status)
  if (location.pathname === '/.masthead/enter') return 'in'
  return (
    location.searchParams.get('trouble') ?? (location.searchParams.has('wait') ? 'wait' : location.pathname)
  )
}

describe('the password of a site', () => {
  let api: ApiUnderTest
  let database: Database & AsyncDisposable
  before(async () => {
    database = await openSqlite()
    api = await startApi(database, { trustedProxies: ['127.0.0.1'] })
  })
  after(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  test('is set, changed, removed and restored, and never shown', async () => {
    const { id } = await api.newAccount()
    const { caller } = await api.newKey(id, ['read', 'deploy'])
    await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
    const put = (json: object) => api.send<Project>('PUT /v1/projects/site/protection', caller, { json })
    for (const json of [
      {},
      { scope: 'previews' },
      { password: 'short' },
      { password: 'password123' },
      { password: 'sitesite1' },
      { password: 'ü'.repeat(100) },
      { password, scope: 'paths' },
      { password, paths: ['/a'] },
      { password, scope: 'paths', paths: ['a'] },
      { password, scope: 'paths', paths: ['/a/../b'] },
      { password, scope: 'paths', paths: ['/a*'] },
      { password, scope: 'paths', paths: Array.from({ length: 51 }, (_, n) => `/${n}`) },
      { password, note: 'a\nb' },
    ]) {
      assert.equal((await put(json)).status, 422, JSON.stringify(json))
    }
    const set = await put({
      password,
      scope: 'paths',
      paths: ['/members/', '//members', '/b'],
      note: ' Ask Ada. ',
    })
    const { passwordSetAt } = set.body.protection ?? {}
    const expected = { scope: 'paths', paths: ['/members', '/b'], note: 'Ask Ada.', passwordSetAt }
    assert.deepEqual(set.body.protection, expected)
    api.clock.at += minute
    const changed = await put({ scope: 'previews' })
    assert.deepEqual(changed.body.protection, { scope: 'previews', paths: [], note: '', passwordSetAt })
    assert.ok(!JSON.stringify(changed.body).includes('argon2'))
    assert.equal((await api.send('DELETE /v1/projects/site/protection', caller)).status, 204)
    assert.equal((await api.send('DELETE /v1/projects/site/protection', caller)).status, 404)
    assert.equal((await api.send<Project>('GET /v1/projects/site', caller)).body.protection, null)
    const restored = await api.send<Project>('POST /v1/projects/site/protection/restore', caller)
    assert.deepEqual(restored.body.protection, changed.body.protection)
    assert.equal((await api.send('POST /v1/projects/site/protection/restore', caller)).status, 404)
    await api.send('DELETE /v1/projects/site/protection', caller)
    api.clock.at += day + 1
    assert.equal((await api.send('POST /v1/projects/site/protection/restore', caller)).status, 404)
    const { body: events } = await api.send<Page<{ type: string; data: object }>>('GET /v1/events', caller)
    const types = events.items.map(({ type }) => type).filter((type) => type.includes('protected'))
    assert.deepEqual(
      types,
      ['unprotected', 'protected', 'unprotected', 'protected', 'protected'].map((type) => `project.${type}`),
    )
    assert.ok(!JSON.stringify(events).includes(password))
    const { caller: reader } = await api.newKey(id, ['read'])
    assert.equal(
      (await api.send('PUT /v1/projects/site/protection', reader, { json: { password } })).status,
      403,
    )
  })

  test('lets a visitor back to the site with a ticket for that host alone', async () => {
    const { asked, caller, project } = await protect(api)
    const entered = await guess(api, asked, password)
    assert.equal(entered.status, 303)
    assert.equal(entered.headers.get('cache-control'), 'no-store')
    assert.equal(entered.headers.get('referrer-policy'), 'no-referrer')
    const location = new URL(entered.headers.get('location') ?? '')
    assert.equal(location.origin, origin)
    assert.equal(location.searchParams.get('to'), '/a?b=1')
    const ticket = passes.open('ticket', location.searchParams.get('ticket') ?? '')
    assert.equal(ticket?.host, host)
    assert.equal(ticket?.credentials.length, 1)
    assert.ok((ticket?.usableUntil ?? 0) - api.clock.at <= minute)
    assert.equal(ticket?.expiresAt, api.clock.at + 7 * day)
    assert.ok(!api.logged.join().includes(location.searchParams.get('ticket') ?? ''))
    assert.equal(outcome(await guess(api, asked, `${password}x`)), 'wrong')
    assert.equal(outcome(await guess(api, asked, '')), 'wrong')
    await api.send(`DELETE /v1/projects/${project.slug}/protection`, caller)
    assert.equal(outcome(await guess(api, asked, password)), '/a')
    const elsewhere = new URL(
      (await guess(api, asked, '', { to: '//evil.example/' })).headers.get('location') ?? '',
    )
    assert.equal(elsewhere.href, `${origin}/`)
  })

  test('is only taken from the page that asked for it', async () => {
    const { asked } = await protect(api)
    for (const from of [
      'https://evil.example',
      'null',
      `http://x.${host}`,
      'file://',
      api.origin,
      `ftp://${host}`,
    ]) {
      assert.equal((await guess(api, asked, password, { headers: { Origin: from } })).status, 403, from)
    }
    const type = 'Content-Type'
    assert.equal((await guess(api, asked, password, { headers: { [type]: 'text/plain' } })).status, 415)
    assert.equal((await guess(api, asked, password, { headers: { [type]: 'application/json' } })).status, 400)
    assert.equal((await guess(api, asked, 'a'.repeat(1_024))).status, 413)
    const forged = new Passes(Buffer.alloc(32, 1)).sign('request', asked)
    const query = new URLSearchParams({ request: forged, to: '/' })
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin }
    const route = `POST /site-sign-in?${query.toString()}`
    assert.equal((await api.send(route, nobody, { headers, body: `password=${password}` })).status, 400)
  })

  test('guessed from one address, is refused from memory after a few tries, while others get in', async () => {
    const { asked } = await protect(api)
    const outcomes: string[] = []
    for (let n = 0; n < 10; n++)
      outcomes.push(outcome(await guess(api, asked, `wrong ${n}`, { from: '192.0.2.1' })))
    assert.deepEqual(
      outcomes.slice(0, 5),
      Array.from({ length: 5 }, () => 'wrong'),
    )
    assert.ok(outcomes.includes('wait'))
    assert.equal(outcome(await guess(api, asked, password, { from: '192.0.2.1' })), 'wait')
    assert.equal(outcome(await guess(api, asked, password, { from: '192.0.2.2' })), 'in')
    // A visitor who was let in before is counted by their browser.
    const earlier = { host, projectId: asked.projectId, credentials: [], visitor: 'ada', expiresAt: 0 }
    const known = passes.sign('pass', earlier)
    assert.equal(outcome(await guess(api, asked, password, { from: '192.0.2.1', known })), 'in')
    const stolen = passes.sign('pass', { ...earlier, projectId: 'prj_other' })
    assert.equal(outcome(await guess(api, asked, password, { from: '192.0.2.1', known: stolen })), 'wait')
    api.clock.at += 16 * minute
    assert.equal(outcome(await guess(api, asked, password, { from: '192.0.2.1' })), 'in')
  })

  test('of a user comes from _headers, is stored as a hash only, and stays valid when published again', async () => {
    const { caller, project } = await protect(api)
    const publish = async (text: string) => {
      const body = new Uint8Array(
        tarGz({ name: 'index.html', content: 'hi' }, { name: '_headers', content: text }),
      )
      const headers = { 'Content-Type': 'application/gzip' }
      const route = `POST /v1/projects/${project.slug}/deployments`
      const { body: made } = await api.send<Deployment>(route, caller, { headers, body })
      const rules = await readRules(api.context.blobs, made.id)
      return { deploymentId: made.id, protect: rules?.protect ?? [], text: JSON.stringify([rules, made]) }
    }
    const first = await publish('/*\n  Basic-Auth: mia:pa55word zoe:other\n/b\n  Basic-Auth: mia:pa55word\n')
    assert.ok(!first.text.includes('pa55word'))
    const [mia, zoe] = first.protect[0]?.credentials ?? []
    assert.match(mia?.hash ?? '', /^argon2id\$19456\$2\$1\$/)
    assert.deepEqual(first.protect[1]?.credentials, [mia])
    const second = await publish('/*\n  Basic-Auth: mia:pa55word zoe:changed jürgen:größe\n')
    assert.deepEqual(second.protect[0]?.credentials[0], mia)
    assert.notDeepEqual(second.protect[0]?.credentials[1], zoe)
    const asked = { ...requestFor(project), deploymentId: second.deploymentId, asksForUser: true }
    const enter = async (user: string, text: string) => outcome(await guess(api, asked, text, { user }))
    assert.equal(await enter('mia', 'pa55word'), 'in')
    assert.equal(await enter('jürgen'.normalize('NFD'), 'größe'.normalize('NFD')), 'in')
    assert.equal(await enter('zoe', 'pa55word'), 'wrong')
    assert.equal(await enter('nobody', password), 'wrong')
    assert.equal(await enter('', password), 'wrong')
  })

  test('of a user is not easier to guess for another one, with or without an earlier pass', async () => {
    const { caller, project } = await protect(api)
    const text = '/*\n  Basic-Auth: mia:pa55word\n/vault/*\n  Basic-Auth: boss:secret\n'
    const body = new Uint8Array(
      tarGz({ name: 'index.html', content: 'hi' }, { name: '_headers', content: text }),
    )
    const headers = { 'Content-Type': 'application/gzip' }
    const route = `POST /v1/projects/${project.slug}/deployments`
    const { body: made } = await api.send<Deployment>(route, caller, { headers, body })
    const asked = { ...requestFor(project), deploymentId: made.id, asksForUser: true }
    const earlier = { host, projectId: asked.projectId, credentials: [], visitor: 'mia', expiresAt: 0 }
    for (const [from, more] of Object.entries({
      '192.0.2.1': {},
      '192.0.2.2': { known: passes.sign('pass', earlier) },
    })) {
      const outcomes: string[] = []
      for (let n = 0; n < 12; n++) {
        const entered = await guess(api, asked, 'pa55word', { user: 'mia', from, ...more })
        assert.equal(outcome(entered), 'in')
        outcomes.push(outcome(await guess(api, asked, `guess ${n}`, { user: 'boss', from, ...more })))
      }
      assert.deepEqual([outcomes.indexOf('wait'), outcomes.lastIndexOf('wrong')], [5, 4], from)
    }
  })

  test('is not needed by members of the account, once per entry', async () => {
    const { asked, accountId, project } = await protect(api)
    const host = `${project.slug}.masthead.localhost`
    const request = passes.sign('request', { ...asked, host })
    const member = await api.newPerson(accountId, 'viewer')
    const stranger = await api.newPerson((await api.newAccount('Other')).id, 'owner')
    const enter = (as: Record<string, string>, json: object) =>
      api.send<{ url: string; host: string; code?: string }>('POST /v1/site-entries', as, { json })
    const entered = await enter(member.caller, { request, to: '/a?b' })
    assert.equal(entered.status, 201)
    const url = new URL(entered.body.url)
    assert.equal(url.origin, `http://${host}:8080`)
    const ticket = passes.open('ticket', url.searchParams.get('ticket') ?? '')
    assert.deepEqual(ticket?.credentials, ['m-everything'])
    assert.equal(ticket?.host, host)
    assert.equal(ticket?.expiresAt, api.clock.at + day / 2)
    assert.equal((await enter(stranger.caller, { request })).status, 404)
    assert.equal((await enter(nobody, { request })).status, 401)
    assert.equal((await enter(member.caller, { request: `${request}x` })).status, 410)
    const { Origin: _, ...noOrigin } = member.caller
    assert.equal((await enter(noOrigin, { request })).status, 403)
    const hostile = await enter(member.caller, { request, to: 'https://evil.example' })
    assert.equal(new URL(hostile.body.url).searchParams.get('to'), '/')
  })

  test('is needed again by members who signed out, left the account or lost it', async () => {
    const { asked, accountId, project } = await protect(api)
    const isMember = createMemberCheck(api.context, api.context.changes)
    const host = `${project.slug}.masthead.localhost`
    const request = passes.sign('request', { ...asked, host })
    async function enter() {
      const person = await api.newPerson(accountId, 'viewer')
      const { body } = await api.send<{ url: string }>('POST /v1/site-entries', person.caller, {
        json: { request },
      })
      const { member } = passes.open('ticket', new URL(body.url).searchParams.get('ticket') ?? '') ?? {}
      assert.ok(member)
      assert.equal(await isMember(member, accountId), true)
      assert.equal(await isMember(member, (await api.newAccount()).id), false)
      return { ...person, member }
    }
    const owner = await api.newPerson(accountId, 'owner')
    const [leaver, removed, stays, late] = [await enter(), await enter(), await enter(), await enter()]
    assert.equal(await isMember({ ...stays.member, person: late.member.person }, accountId), false)
    assert.equal((await api.send('DELETE /v1/session', leaver.caller)).status, 204)
    assert.equal((await api.send(`DELETE /v1/members/${removed.id}`, owner.caller)).status, 200)
    assert.deepEqual(
      await Promise.all([leaver, removed, stays].map(({ member }) => isMember(member, accountId))),
      [false, false, true],
    )
    api.clock.at += 31 * day
    assert.equal(await isMember(late.member, accountId), false)
  })
})
