import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTicket, Passes } from '../protection/passes.ts'
import { credentialId, type SiteProtection } from '../protection/protection.ts'
import { protectionOf, startEdge } from './edge.test-kit.ts'
import { createGate } from './protection/gate.ts'

const key = Buffer.alloc(32, 7)
const passes = new Passes(key)
const hash = 'argon2id$1$1$1$c2FsdA==$dGFn'
const protection: SiteProtection = { scope: 'site', paths: [], note: '', hash }
const hello = { host: 'hello.masthead.localhost', projectId: 'prj_hello' }

const members = { areGone: false, areAway: false }
async function isMember(): Promise<boolean> {
  if (members.areAway) throw new Error('the database is away')
  return !members.areGone
}

test('a protected site opens for a member for as long as they are one, and stays open for the password they know', async () => {
  await using edge = await startEdge({}, 'both', { protection: { ...protectionOf(key), isMember } })
  await edge.publish('hello', { '/index.html': 'secret' }, { protection })
  const person = { person: 'usr_1', session: 'ses_1' }
  const { member } = createGate(protection, false, []) ?? {}
  assert.ok(member)
  const signed = passes.sign(
    'ticket',
    newTicket(hello, [member], { now: Date.now(), lifetime: 60_000, visitor: null, member: person }),
  )
  const enter = async (given: string, headers = {}) => {
    const entered = await edge.ask(`/.masthead/enter?ticket=${given}&to=/`, headers)
    return { cookie: String(entered.headers['set-cookie']).split(';')[0] ?? '' }
  }
  const given = await enter(signed)
  assert.equal((await edge.ask('/', given)).status, 200)
  const pass = { ...hello, credentials: [member], visitor: 'v', expiresAt: Date.now() + 60_000 }
  const withoutSession = { cookie: `masthead-pass=${passes.sign('pass', pass)}` }
  assert.equal((await edge.ask('/', withoutSession)).status, 401)
  members.areGone = true
  assert.equal((await edge.ask('/', given)).status, 401)
  assert.equal((await edge.ask('/.masthead/sign-in?to=/', given)).status, 401)
  members.areAway = true
  assert.equal((await edge.ask('/', given)).status, 503)
  members.areAway = false
  const knows = passes.sign(
    'ticket',
    newTicket(hello, [credentialId(hash)], { now: Date.now(), lifetime: 60_000, visitor: null }),
  )
  const both = await enter(knows, given)
  assert.equal((await edge.ask('/', both)).status, 200)
  members.areGone = false
  assert.equal((await edge.ask('/', given)).status, 200)
})

test('the pass of a member counts at no domain whose DNS leads elsewhere, but a password does', async () => {
  await using edge = await startEdge({}, 'both', {
    protection: { ...protectionOf(key), isMember: async () => true },
  })
  await edge.publish('hello', { '/index.html': 'secret' }, { protection })
  edge.routes.set('example.com', { kind: 'site', slug: 'hello' })
  edge.routes.set('drifted.example.com', { kind: 'site', slug: 'hello', pointsHere: false })
  const { member } = createGate(protection, false, []) ?? {}
  assert.ok(member)
  async function statusAt(host: string, credential: string): Promise<number | undefined> {
    const person = { person: 'usr_1', session: 'ses_1' }
    const pass = { ...hello, host, credentials: [credential], visitor: 'v', expiresAt: Date.now() + 60_000 }
    const cookie = `masthead-pass=${passes.sign('pass', { ...pass, member: person })}`
    return (await edge.ask('/', { host, cookie })).status
  }
  assert.equal(await statusAt('example.com', member), 200)
  assert.equal(await statusAt('drifted.example.com', member), 401)
  assert.equal(await statusAt('drifted.example.com', credentialId(hash)), 200)
})
