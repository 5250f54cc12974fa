import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instructionsText } from '@masthead/contract/domains/record-formats/instructions.ts'
import { replacedRecords } from '@masthead/contract/domains/replaced-records.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { cname, startChecking } from '../checking.test-kit.ts'
import { describeDomain } from '../claims/read-domain.ts'

const skip = skipWithout('knot')
const elsewhere = 'abc.auth.acme-dns.example'
const former = 'k3v9x2m1qp.acme.masthead.test'

async function start(database: Database) {
  const checking = await startChecking(database, { 'acme.test': '' })
  const { naming } = checking.context
  const using = { ...checking.context, naming: { ...naming, challengeDns: true } }
  const tenant = await checking.addTenant('acme')
  return {
    checking,
    tenant,
    using,
    async look(hostname: string, ...lines: string[]) {
      await checking.nameserver.setZone('acme.test', lines.join('\n'))
      return describeDomain(using, await tenant.verify(hostname, using))
    },
  }
}

onEachDatabase('what is already at the name of certificate challenges', ({ open }) => {
  test('is changed or removed for a wildcard, because a name has one CNAME and nothing beside it', {
    skip,
  }, async () => {
    await using database = await open()
    const { checking, tenant, using, look } = await start(database)
    await using _ = checking
    const wild = '*.acme.test'
    const row = await tenant.add(wild, using)
    const to = `${row.target}.acme.masthead.test`
    const certificate = async (...lines: string[]) => {
      const domain = await look(wild, ...lines)
      const { status, observed } = domain.records.find(({ purpose }) => purpose === 'certificate') ?? {}
      const changes = domain.lastCheck?.changes.filter(({ name }) => name === '_acme-challenge') ?? []
      const { fix } = domain.lastCheck?.findings.find(({ code }) => code === 'delegation_missing') ?? {}
      return {
        seen: [status, ...(observed ?? []).map(({ type, value }) => `${type} ${value}`)],
        changes: changes.map(({ action, type, from, to }) => ({ action, type, from, to })),
        fix: fix ?? '',
        message: instructionsText(domain).body,
      }
    }
    const add = { action: 'add', type: 'CNAME', from: null, to }

    for (const there of [elsewhere, former]) {
      const found = await certificate(`_acme-challenge 60 CNAME ${there}.`)
      assert.deepEqual(found.seen, ['wrong', `CNAME ${there}`])
      assert.deepEqual(found.changes, [{ ...add, action: 'change', from: there }])
      assert.match(found.fix, /^Change the CNAME record: name _acme-challenge, value /)
      assert.match(
        found.message,
        /Change the record\n {3}Type: {3}CNAME\n {3}Name: {3}_acme-challenge .*\n {3}Is now: /,
      )
    }
    const leftover = await certificate('_acme-challenge 60 TXT "old"')
    assert.deepEqual(leftover.seen, ['wrong', 'TXT old'])
    assert.deepEqual(leftover.changes, [{ action: 'remove', type: 'TXT', from: 'old', to: null }, add])
    assert.match(leftover.fix, /^Remove the TXT records at _acme-challenge,/)
    // A wildcard answers for every name, but is no record of this one.
    const wildcard = await certificate(cname(row, '*'))
    assert.deepEqual([wildcard.seen, wildcard.changes], [['missing'], [add]])
    const right = await certificate(`_acme-challenge 60 CNAME ${to}.`)
    assert.deepEqual(right.seen, ['ok', `CNAME ${to}`])
    assert.deepEqual(right.changes, [{ ...add, action: 'keep', from: to }])
  })

  test('is shown with the record that prepares a move', { skip }, async () => {
    await using database = await open()
    const { checking, tenant, look } = await start(database)
    await using _ = checking
    await tenant.add('www.acme.test')
    const prepare = async (...lines: string[]) => {
      const { record } = (await look('www.acme.test', ...lines)).preparation ?? assert.fail()
      return [record.status, replacedRecords(record)]
    }
    assert.deepEqual(await prepare(), ['missing', ''])
    assert.deepEqual(await prepare(`_acme-challenge.www 60 CNAME ${elsewhere}.`), [
      'wrong',
      `It replaces the CNAME record that is there now: ${elsewhere}`,
    ])
    assert.deepEqual(await prepare('_acme-challenge.www 60 TXT "old"'), [
      'wrong',
      'First remove what is there now: TXT old',
    ])
  })

  test('is shown relative to the zone where it has to be set', { skip }, async () => {
    await using database = await open()
    const { checking, tenant, using } = await start(database)
    await using _ = checking
    await checking.nameserver.setZone('eu.acme.test', '')
    for (const [hostname, name] of [
      ['www.acme.test', '_acme-challenge.www'],
      ['www.eu.acme.test', '_acme-challenge.www'],
      ['eu.acme.test', '_acme-challenge'],
    ] as const) {
      await tenant.add(hostname)
      const { preparation } = await describeDomain(using, await tenant.verify(hostname, using))
      assert.deepEqual([hostname, preparation?.record.name], [hostname, name])
    }
  })
})
