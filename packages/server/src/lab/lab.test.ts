import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { test } from 'node:test'
import type { LabRecord } from '@masthead/contract/schemas/lab.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { systemClock } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { type Lab, LabPortInUseError, openLab } from './lab.ts'
import { maxRecords } from './manage-records.ts'
import { upsertRecord } from './store.ts'

const target = 'k3v9x2m1qp.cname.masthead.localhost'
const www: LabRecord = { name: 'www.acme.localhost', type: 'CNAME', values: [target], ttl: 60 }

async function open(database: Database, { port = 0, portChosen = false, now = systemClock } = {}) {
  const warnings: string[] = []
  const log = { warn: (_details: object, message: string) => void warnings.push(message) }
  const naming = { platformDomain: 'masthead.localhost', edgeAddresses: ['127.0.0.1'] }
  const lab = await openLab({ database, now, naming, port, portChosen, log })
  return { ...lab, warnings, [Symbol.asyncDispose]: () => lab.close() }
}

/** Node's own resolver, as an independent client. */
function asking({ address }: Lab): Resolver {
  const resolver = new Resolver({ timeout: 20_000, tries: 1 })
  resolver.setServers([`${address.address}:${address.port}`])
  return resolver
}

const isRefused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code

onEachDatabase('the lab', (databases) => {
  test('a record is answered as soon as it is set, changed and removed', async () => {
    await using database = await databases.open()
    await using lab = await open(database)
    const resolver = asking(lab)
    await assert.rejects(resolver.resolve4(www.name), { code: 'ENOTFOUND' })
    await lab.set({ ...www, name: 'WWW.acme.localhost.' })
    assert.deepEqual(await resolver.resolve4(www.name), ['127.0.0.1'])
    await lab.set({ ...www, values: ['other.example.com'] })
    assert.deepEqual(await resolver.resolveCname(www.name), ['other.example.com'])
    await lab.remove(www.name, 'CNAME')
    await assert.rejects(resolver.resolveCname(www.name), { code: 'ENOTFOUND' })
    await assert.rejects(lab.remove(www.name, 'CNAME'), isRefused('not_found'))
    await lab.set({ name: 'acme.localhost', type: 'ALIAS', values: [target], ttl: 60 })
    await assert.rejects(
      lab.remove('acme.localhost', 'A'),
      /no A record at acme\.localhost; it has ALIAS there\.$/,
    )
  })

  test('another resolver reads every type', async () => {
    await using database = await databases.open()
    await using lab = await open(database)
    const resolver = asking(lab)
    const name = 'acme.localhost'
    const text = 'x'.repeat(400)
    await lab.set({ name, type: 'ALIAS', values: [target], ttl: 60 })
    await lab.set({ name, type: 'TXT', values: [text, 'b'], ttl: 60 })
    await lab.set({ name, type: 'CAA', values: ['0 issue "letsencrypt.org"'], ttl: 60 })
    await lab.set({ name: 'six.acme.localhost', type: 'AAAA', values: ['::1'], ttl: 77 })
    assert.deepEqual(await resolver.resolve4(name), ['127.0.0.1'])
    assert.deepEqual(
      (await resolver.resolveTxt(name)).map((strings) => strings.join('')).sort(),
      ['b', text].sort(),
    )
    assert.equal((await resolver.resolveCaa(name))[0]?.issue, 'letsencrypt.org')
    assert.deepEqual(await resolver.resolve6('six.acme.localhost', { ttl: true }), [
      { address: '::1', ttl: 77 },
    ])
    assert.deepEqual(await resolver.resolveNs(name), ['ns.lab.localhost'])
    assert.equal((await resolver.resolveSoa(name)).nsname, 'ns.lab.localhost')
    await assert.rejects(resolver.resolve4('example.com'), { code: 'EREFUSED' })
  })

  test('records survive a restart and are seen by a second process', async () => {
    await using location = await databases.location()
    const silent = { warn: () => {} }
    const first = await openDatabase(location, silent)
    const second = await openDatabase(location, silent)
    const clock = { at: 0 }
    const one = await open(first)
    const other = await open(second, { now: () => clock.at })
    await assert.rejects(asking(other).resolveCname(www.name), { code: 'ENOTFOUND' })
    await one.set(www)
    clock.at += 1_000
    assert.deepEqual(await asking(other).resolveCname(www.name), [target])
    for (const lab of [one, other]) await lab.close()
    for (const database of [first, second]) await database.close()

    const again = await openDatabase(location, silent)
    const lab = await open(again)
    assert.deepEqual(await asking(lab).resolveCname(www.name), [target])
    await lab.close()
    await again.close()
  })

  test('the list is in pages by name and type, each record once', async () => {
    await using database = await databases.open()
    await using lab = await open(database)
    for (const name of ['b.acme.localhost', 'a.acme.localhost']) {
      for (const type of ['TXT', 'CAA'] as const) {
        await lab.set({ name, type, values: ['0 issue "x"'], ttl: 60 })
      }
    }
    const first = await lab.list({ limit: 3 })
    const rest = await lab.list({ limit: 3, cursor: first.next ?? undefined })
    assert.deepEqual(
      [...first.items, ...rest.items].map(({ name, type }) => `${name} ${type}`),
      ['a.acme.localhost CAA', 'a.acme.localhost TXT', 'b.acme.localhost CAA', 'b.acme.localhost TXT'],
    )
    assert.equal(rest.next, null)
  })

  test('of a CNAME and an A set at the same time, one is rejected', async () => {
    await using database = await databases.open()
    await using lab = await open(database)
    const both = await Promise.allSettled([
      lab.set(www),
      lab.set({ ...www, type: 'A', values: ['127.0.0.1'] }),
    ])
    const [refused, ...others] = both.filter((result) => result.status === 'rejected')
    assert.ok(isRefused('lab_record_invalid')(refused?.reason))
    assert.equal(others.length, 0)
    assert.equal((await lab.list({ limit: 10 })).items.length, 1)
  })

  test('beyond the maximum no records are added, but existing ones can be changed', async () => {
    await using database = await databases.open()
    await using lab = await open(database)
    await database.write(async (tx) => {
      for (let i = 0; i < maxRecords; i++) await upsertRecord(tx, { ...www, name: `n${i}.acme.localhost` })
    })
    await assert.rejects(lab.set(www), isRefused('lab_record_invalid'))
    await lab.set({ ...www, name: 'n0.acme.localhost', ttl: 5 })
    await lab.remove('n0.acme.localhost', 'CNAME')
    await lab.set(www)
  })

  test('a port in use is an error if it was configured, and otherwise replaced by another', async () => {
    await using database = await databases.open()
    const port = await freeDnsPort('127.0.0.1')
    await using first = await open(database, { port, portChosen: true })
    assert.equal(first.address.port, port)
    await assert.rejects(open(database, { port, portChosen: true }), (error) => {
      assert.ok(error instanceof LabPortInUseError)
      assert.match(error.message, new RegExp(`^Port ${port} .* set MASTHEAD_LAB_PORT`))
      return true
    })
    await using second = await open(database, { port })
    assert.notEqual(second.address.port, port)
    assert.match(second.warnings[0] ?? '', new RegExp(`answers on port ${second.address.port} instead`))
    await second.set(www)
    assert.deepEqual(await asking(second).resolveCname(www.name), [target])
  })
})
