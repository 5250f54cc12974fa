import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startKnot } from '@masthead/testing/knot.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers.ts'
import { startPowerDns } from '@masthead/testing/powerdns.ts'
import { visitHost } from '@masthead/testing/visit.ts'
import { newTenant, obstacles, type Tenant, wantedRecord } from './tenant.ts'

const edgeAddress = '192.0.2.10'
const platform = { 'masthead.test': `*.cname A ${edgeAddress}` }

/** Without a worker: nothing is looked at but when somebody asks. */
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

/** The page that visitors of the name get to see, or the status they get instead. */
async function shownAt(masthead: MastheadProcess, hostname: string): Promise<string | number> {
  const { status, body } = await visitHost(masthead, hostname)
  return status === 200 ? body : status
}

async function standing(tenant: Tenant, hostname: string): Promise<[state: string, ...codes: string[]]> {
  const domain = await tenant.domain(hostname)
  return [domain.state, ...obstacles(domain)]
}

async function toldOfLoss({ client }: Tenant): Promise<unknown[]> {
  const { items } = await client.listEvents()
  return items.filter(({ type }) => type === 'domain.lost').map(({ data }) => data.hostname)
}

test('a subdomain is served for whoever has their own record in DNS, and moves with the record', {
  skip: skipWithout('knot'),
}, async () => {
  await using nameserver = await startKnot({ zones: { ...platform, 'acme.test': '' } })
  await using masthead = await startMasthead(nameserver)
  const [ada, bob] = [await newTenant(masthead, 'ada'), await newTenant(masthead, 'bob')]
  const name = 'www.acme.test'
  const adasTarget = wantedRecord(await ada.add(name), 'CNAME')
  const bobsTarget = wantedRecord(await bob.add(name), 'CNAME')
  assert.notEqual(adasTarget, bobsTarget)
  assert.equal(await shownAt(masthead, name), 404)

  await nameserver.setZone('acme.test', `www 300 CNAME ${adasTarget}.`)
  await Promise.all([bob.verify(name), ada.verify(name)])
  assert.deepEqual(await standing(bob, name), ['pending', 'cname_other'])
  assert.deepEqual(await standing(ada, name), ['verified'])
  assert.equal(await shownAt(masthead, name), 'ada')

  await nameserver.setZone('acme.test', `www 300 CNAME ${bobsTarget}.`)
  assert.equal(await shownAt(masthead, name), 'ada')
  await bob.verify(name)
  assert.deepEqual(await standing(bob, name), ['verified'])
  assert.deepEqual(await standing(ada, name), ['failed', 'held_elsewhere'])
  assert.deepEqual([await toldOfLoss(ada), await toldOfLoss(bob)], [[name], []])
  assert.equal(await shownAt(masthead, name), 'bob')

  await ada.verify(name)
  assert.deepEqual(await standing(ada, name), ['pending', 'cname_other'])
  assert.equal(await shownAt(masthead, name), 'bob')

  await bob.remove(name)
  assert.equal(await shownAt(masthead, name), 404)
  await ada.verify(name)
  assert.equal(await shownAt(masthead, name), 404)
})

test('an apex that two accounts claim is served for the one whose TXT record is in DNS', {
  skip: skipWithout('knot', 'powerdns'),
}, async () => {
  await using targets = await startKnot({ zones: platform })
  const zones = { 'acme.test': '', 'second.test': '' }
  await using nameserver = await startPowerDns({ resolver: targets, zones })
  await using masthead = await startMasthead(nameserver)
  const [ada, bob] = [await newTenant(masthead, 'ada'), await newTenant(masthead, 'bob')]

  const adas = await ada.add('acme.test')
  const alias = `@ 300 ALIAS ${wantedRecord(adas, 'ALIAS')}.`
  assert.throws(() => wantedRecord(adas, 'TXT'))
  await nameserver.setZone('acme.test', alias)
  await ada.verify('acme.test')
  assert.deepEqual(await standing(ada, 'acme.test'), ['verified'])
  assert.equal(await shownAt(masthead, 'acme.test'), 'ada')

  // The addresses of an apex are the same for all: they prove nothing against the one who holds it.
  const bobsProof = wantedRecord(await bob.add('acme.test'), 'TXT')
  await bob.verify('acme.test')
  assert.deepEqual(await standing(bob, 'acme.test'), ['pending', 'challenge_missing'])
  assert.equal(await shownAt(masthead, 'acme.test'), 'ada')

  await nameserver.setZone('acme.test', `${alias}\n_masthead-challenge 300 TXT "${bobsProof}"`)
  await bob.verify('acme.test')
  assert.deepEqual(await standing(bob, 'acme.test'), ['verified'])
  assert.deepEqual(await standing(ada, 'acme.test'), ['failed', 'held_elsewhere'])
  assert.deepEqual(await toldOfLoss(ada), ['acme.test'])
  assert.equal(await shownAt(masthead, 'acme.test'), 'bob')

  // The other outcome, of a race that nobody has won yet.
  await bob.add('second.test')
  const alias2 = `@ 300 ALIAS ${wantedRecord(await ada.add('second.test'), 'ALIAS')}.`
  await nameserver.setZone('second.test', alias2)
  for (const tenant of [bob, ada]) {
    await tenant.verify('second.test')
    assert.deepEqual(await standing(tenant, 'second.test'), ['pending', 'challenge_missing'])
  }
  assert.equal(await shownAt(masthead, 'second.test'), 404)
  const adasProof = wantedRecord(await ada.domain('second.test'), 'TXT')
  await nameserver.setZone('second.test', `${alias2}\n_masthead-challenge 300 TXT "${adasProof}"`)
  await Promise.all([bob.verify('second.test'), ada.verify('second.test')])
  assert.deepEqual(await standing(bob, 'second.test'), ['pending', 'challenge_missing'])
  assert.deepEqual(await standing(ada, 'second.test'), ['verified'])
  assert.equal(await shownAt(masthead, 'second.test'), 'ada')
})
