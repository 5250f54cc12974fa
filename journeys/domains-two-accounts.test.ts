import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPowerDns } from '@masthead/testing/peers/powerdns.ts'
import { blockingFindings, createTenant, requiredRecord, type Tenant } from './tenant.ts'

const edgeAddress = '192.0.2.10'
const platform = { 'masthead.test': `*.cname A ${edgeAddress}` }

/** Without a worker, DNS is only checked on request. */
function startMasthead({ address, port }: { address: string; port: number }): Promise<MastheadProcess> {
  return MastheadProcess.start({
    env: {
      MASTHEAD_PLATFORM_DOMAIN: 'masthead.test',
      MASTHEAD_EDGE_ADDRESSES: edgeAddress,
      MASTHEAD_DNS_SERVERS: `${address}:${port}`,
      MASTHEAD_DNS_PORT: String(port),
      MASTHEAD_ROLES: 'api,edge',
    },
  })
}

/** The page that visitors of the name get, or the status instead. */
async function shownAt(masthead: MastheadProcess, hostname: string): Promise<string | number> {
  const { status, body } = await visitHost(masthead, hostname)
  return status === 200 ? body : status
}

async function stateOf(tenant: Tenant, hostname: string): Promise<[state: string, ...codes: string[]]> {
  const domain = await tenant.domain(hostname)
  return [domain.state, ...blockingFindings(domain)]
}

async function toldOfLoss({ client }: Tenant): Promise<unknown[]> {
  const { items } = await client.listEvents()
  return items.filter(({ type }) => type === 'domain.lost').map(({ data }) => data.hostname)
}

test('a subdomain is served for the account whose record is in DNS, and moves with the record', {
  skip: skipWithout('knot'),
}, async () => {
  await using nameserver = await startKnot({ zones: { ...platform, 'acme.test': '' } })
  await using masthead = await startMasthead(nameserver)
  const [ada, bob] = [await createTenant(masthead, 'ada'), await createTenant(masthead, 'bob')]
  const name = 'www.acme.test'
  const adasTarget = requiredRecord(await ada.add(name), 'CNAME')
  const bobsTarget = requiredRecord(await bob.add(name), 'CNAME')
  assert.notEqual(adasTarget, bobsTarget)
  assert.equal(await shownAt(masthead, name), 404)

  await nameserver.setZone('acme.test', `www 300 CNAME ${adasTarget}.`)
  await Promise.all([bob.verify(name), ada.verify(name)])
  assert.deepEqual(await stateOf(bob, name), ['pending', 'cname_other'])
  assert.deepEqual(await stateOf(ada, name), ['verified'])
  assert.equal(await shownAt(masthead, name), 'ada')

  await nameserver.setZone('acme.test', `www 300 CNAME ${bobsTarget}.`)
  assert.equal(await shownAt(masthead, name), 'ada')
  await bob.verify(name)
  assert.deepEqual(await stateOf(bob, name), ['verified'])
  assert.deepEqual(await stateOf(ada, name), ['failed', 'held_elsewhere'])
  assert.deepEqual([await toldOfLoss(ada), await toldOfLoss(bob)], [[name], []])
  assert.equal(await shownAt(masthead, name), 'bob')

  await ada.verify(name)
  assert.deepEqual(await stateOf(ada, name), ['pending', 'cname_other'])
  assert.equal(await shownAt(masthead, name), 'bob')

  await bob.remove(name)
  assert.equal(await shownAt(masthead, name), 404)
  await ada.verify(name)
  assert.equal(await shownAt(masthead, name), 404)
})

test('an apex is served for the account that proves it, by a sibling or by TXT, and for no other', {
  skip: skipWithout('knot', 'powerdns'),
}, async () => {
  await using targets = await startKnot({ zones: platform })
  const zones = { 'both.test': '', 'acme.test': '' }
  await using nameserver = await startPowerDns({ resolver: targets, zones })
  await using masthead = await startMasthead(nameserver)
  const [ada, bob] = [await createTenant(masthead, 'ada'), await createTenant(masthead, 'bob')]

  // Ada has www live, and the apex points here but nobody added it.
  const www = `www 300 CNAME ${requiredRecord(await ada.add('www.both.test'), 'CNAME')}.`
  const alias = (domain: Domain) => `@ 300 ALIAS ${requiredRecord(domain, 'ALIAS')}.`
  const bobs = await bob.add('both.test')
  await nameserver.setZone('both.test', `${www}\n${alias(bobs)}`)
  await ada.verify('www.both.test')
  await bob.verify('both.test')
  assert.deepEqual(await stateOf(bob, 'both.test'), ['pending', 'challenge_missing'])
  assert.equal(await shownAt(masthead, 'both.test'), 404)

  const { findings } = await ada.client.checkDomain({ body: { hostname: 'both.test' } })
  assert.ok(findings.every(({ code }) => code !== 'challenge_ahead'))
  assert.throws(() => requiredRecord(bobs, 'CNAME'))
  const adas = await ada.add('both.test')
  assert.throws(() => requiredRecord(adas, 'TXT'), 'Nothing more is asked of her')
  await ada.verify('both.test')
  assert.deepEqual(await stateOf(ada, 'both.test'), ['verified'])
  assert.equal((await ada.domain('both.test')).proof?.by, 'sibling')
  assert.equal(await shownAt(masthead, 'both.test'), 'ada')

  // Bob proves another apex by TXT, then Ada does. Both values are in DNS, but his is void.
  const bobsClaim = await bob.add('acme.test')
  const bobsProof = `_masthead-challenge 300 TXT "${requiredRecord(bobsClaim, 'TXT')}"`
  await nameserver.setZone('acme.test', `${alias(bobsClaim)}\n${bobsProof}`)
  await bob.verify('acme.test')
  assert.equal(await shownAt(masthead, 'acme.test'), 'bob')
  const adasProof = `_masthead-challenge 300 TXT "${requiredRecord(await ada.add('acme.test'), 'TXT')}"`
  await ada.verify('acme.test')
  assert.deepEqual(await stateOf(ada, 'acme.test'), ['pending', 'challenge_missing'])
  await nameserver.setZone('acme.test', [alias(bobsClaim), bobsProof, adasProof].join('\n'))
  await ada.verify('acme.test')
  assert.deepEqual(await stateOf(bob, 'acme.test'), ['failed', 'held_elsewhere'])
  assert.deepEqual(await toldOfLoss(bob), ['acme.test'])
  await bob.verify('acme.test')
  assert.deepEqual(await stateOf(bob, 'acme.test'), ['pending', 'challenge_missing'])
  assert.equal(await shownAt(masthead, 'acme.test'), 'ada')
  const codes = (await ada.verify('acme.test')).lastCheck?.findings.map(({ code }) => code)
  assert.ok(codes?.includes('challenge_other'), String(codes))
})

test("the name of an account whose plan ended shows the wildcard of the domain's owner until its own record counts again", {
  skip: skipWithout('knot'),
}, async () => {
  await using nameserver = await startKnot({ zones: { ...platform, 'acme.test': '' } })
  await using masthead = await startMasthead(nameserver)
  const [ada, bob] = [await createTenant(masthead, 'ada'), await createTenant(masthead, 'bob')]
  const [blog, shop] = ['blog.acme.test', 'shop.acme.test']
  const own = `blog 300 CNAME ${requiredRecord(await ada.add(blog), 'CNAME')}.`
  await nameserver.setZone('acme.test', own)
  await ada.verify(blog)

  const wildcard = await bob.add('*.acme.test')
  const proof = `_masthead-challenge 300 TXT "${requiredRecord(wildcard, 'TXT')}"`
  const star = `* 300 CNAME ${requiredRecord(wildcard, 'CNAME')}.`
  await nameserver.setZone('acme.test', [own, proof, star].join('\n'))
  await bob.verify('*.acme.test')
  assert.deepEqual([await shownAt(masthead, blog), await shownAt(masthead, shop)], ['ada', 'bob'])

  const changePlan = (plan: 'free' | 'pro') => ada.client.changePlan({ body: { plan, suspendDomains: true } })
  await changePlan('free')
  assert.equal(await shownAt(masthead, blog), 'bob')
  await changePlan('pro')
  assert.equal(await shownAt(masthead, blog), 'bob')
  await ada.verify(blog)
  assert.equal(await shownAt(masthead, blog), 'ada')

  await changePlan('free')
  await nameserver.setZone('acme.test', [proof, star].join('\n'))
  await changePlan('pro')
  await ada.verify(blog)
  assert.deepEqual(await stateOf(ada, blog), ['pending', 'held_elsewhere'])
  assert.equal(await shownAt(masthead, blog), 'bob')
})
