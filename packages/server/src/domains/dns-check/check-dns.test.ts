import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { insertAccount, setAccountUrl } from '../../certificates/acme-account/account-store.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import type { Dns } from '../../dns/dns.ts'
import { cname, startChecking } from '../checking.test-kit.ts'
import { checkName } from '../checks/check-domain.ts'
import { checkDns, type NameToCheck } from './check-dns.ts'
import { findMethods } from './judge.test-kit.ts'

const skip = skipWithout('knot')
const www: NameToCheck = {
  hostname: 'www.acme.test',
  kind: 'subdomain',
  target: 'mine',
  proof: null,
  findMethods,
}

/** Never answers, until the caller aborts. */
function silentDns(): Dns & { gone: unknown[] } {
  const gone: unknown[] = []
  const silence = async ({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<never> => {
    const left = Promise.withResolvers<never>()
    signal?.addEventListener('abort', () => left.reject(signal.reason))
    left.promise.catch((reason: unknown) => gone.push(reason))
    return left.promise
  }
  return {
    gone,
    resolve: (_name, _type, options) => silence(options),
    findZone: (_name, options) => silence(options),
    askNameservers: (_name, _types, options) => silence(options),
  }
}

onEachDatabase('a check of DNS', ({ open }) => {
  test('concurrent checks of one name share one observation', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const { context } = checking
    const [first, second] = await Promise.all([checkDns(context, www), checkDns(context, www)])
    assert.equal(first, second)
    assert.notEqual(await checkDns(context, www), first)
  })

  test('a check for another target, or with a challenge, is not shared', { skip }, async () => {
    await using database = await open()
    const zones = { 'acme.test': 'www CNAME mine.cname.masthead.test.' }
    await using checking = await startChecking(database, zones)
    const [mine, other] = await Promise.all(
      ['mine', 'other'].map((target) => checkDns(checking.context, { ...www, target })),
    )
    assert.deepEqual([mine?.check.outcome, other?.check.outcome], ['right', 'wrong'])
  })

  test('a caller that aborts leaves a shared check to the others, and the last one ends it', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database)
    const dns = silentDns()
    const context = { ...checking.context, dns }
    const [one, two] = [new AbortController(), new AbortController()]
    const first = checkDns(context, www, one.signal)
    const second = checkDns(context, www, two.signal)
    one.abort(new Error('first goes'))
    await assert.rejects(first, { message: 'first goes' })
    assert.deepEqual(dns.gone, [])
    two.abort(new Error('second goes'))
    await assert.rejects(second, { message: 'second goes' })
    await new Promise(setImmediate)
    assert.notEqual(dns.gone.length, 0)
    await assert.rejects(checkDns(context, www, two.signal), { message: 'second goes' })
  })

  test('a CAA record that names our account is ours once the account is known', { skip }, async () => {
    await using database = await open()
    const account = 'https://ca.example/acct/7'
    const caa = `@ CAA 0 issue "ca.example; accounturi=${account}"`
    await using checking = await startChecking(database, {
      'acme.test': `www CNAME mine.cname.masthead.test.\n${caa}`,
      'masthead.test': 'mine.cname A 192.0.2.10',
    })
    const directory = 'https://ca.example/directory'
    const naming = {
      ...checking.context.naming,
      authorities: [{ id: directory, identities: ['ca.example'] }],
    }
    const context = { ...checking.context, naming }
    const codes = async () => (await checkDns(context, www)).check.findings.map(({ code }) => code)
    const unclear = (await checkDns(context, www)).check.findings[0]
    assert.match(unclear?.message ?? '', /those of acme\.test allow one account only/)
    const row = { directory, url: null, sealed_key: 'x', created_at: 1 }
    await database.write((tx) => insertAccount(tx, row))
    assert.deepEqual(await codes(), ['caa_unclear'])
    await database.write((tx) => setAccountUrl(tx, directory, 'https://ca.example/acct/8'))
    assert.deepEqual(await codes(), ['caa_blocks'])
    await database.write((tx) => setAccountUrl(tx, directory, account))
    assert.deepEqual(await codes(), [])
  })

  test('a name keeps the kind it was added as, whatever the public suffix list says now', {
    skip,
  }, async () => {
    await using database = await open()
    const zones = { test: 'acme CNAME mine.cname.masthead.test.' }
    await using checking = await startChecking(database, zones)
    const outcomeAs = async (kind: NameToCheck['kind']) =>
      (await checkDns(checking.context, { ...www, hostname: 'acme.test', kind })).check.outcome
    assert.deepEqual([await outcomeAs('subdomain'), await outcomeAs('apex')], ['right', 'wrong'])
  })

  test('a name can be checked before it is added', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': 'www A 203.0.113.9' })
    const { account } = await checking.addTenant('ann')
    const check = await checkName(checking.context, account.id, 'https://WWW.Acme.test/')
    assert.deepEqual([check.hostname, check.kind, check.zone], ['www.acme.test', 'subdomain', 'acme.test'])
    assert.ok(check.findings.some(({ code }) => code === 'address_conflict'))
    const refused = checkName(checking.context, account.id, 'not a name')
    await assert.rejects(refused, { code: 'hostname_invalid' })
  })

  test('a name that was added is checked against its records, and nothing is saved', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const [ann, ben] = [await checking.addTenant('ann'), await checking.addTenant('ben')]
    const before = { ...(await ann.add('www.acme.test')) }
    const look = async ({ account }: typeof ann) => {
      const { ok, project } = await checkName(checking.context, account.id, 'www.acme.test')
      return { ok, project }
    }
    const { slug } = ann.project
    assert.deepEqual(await look(ann), { ok: false, project: slug })
    assert.deepEqual(await look(ben), { ok: true, project: null })
    await checking.nameserver.setZone('acme.test', cname(before))
    assert.deepEqual(await look(ann), { ok: true, project: slug })
    assert.deepEqual(await ann.row('www.acme.test'), before)
  })

  test('the proof an apex will need is shown before it is added, unless it is already there', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const [ann, ben] = [await checking.addTenant('ann'), await checking.addTenant('ben')]
    const look = async (tenant: typeof ann, name: string) => {
      const { findings, outcome } = await checkName(checking.context, tenant.account.id, name)
      return [outcome, ...findings.map(({ code }) => code)]
    }
    assert.deepEqual(await look(ben, 'acme.test'), ['right', 'challenge_ahead'])
    await checking.nameserver.setZone('acme.test', cname(await ann.add('www.acme.test')))
    assert.deepEqual(await look(ann, 'acme.test'), ['right'])
    assert.deepEqual(await look(ben, 'acme.test'), ['right', 'challenge_ahead'])
    assert.deepEqual(await look(ben, 'www.acme.test'), ['wrong', 'cname_other', 'cached_old_answer'])
  })
})
