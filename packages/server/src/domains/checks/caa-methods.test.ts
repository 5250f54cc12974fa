import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFormats } from '@masthead/contract/domains/record-formats/record-formats.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { cname, startChecking } from '../checking.test-kit.ts'
import { describeDomain } from '../claims/read-domain.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, lastCheckOf } from '../domain.ts'
import { delegationRecord } from '../records.ts'
import { checkName } from './check-domain.ts'

const skip = skipWithout('knot')
const name = 'www.acme.test'
const dnsOnly = '@ 60 CAA 0 issue "ca.example; validationmethods=dns-01"'

async function start(database: Database) {
  const checking = await startChecking(database, {
    'acme.test': '',
    'masthead.test': '*.cname A 192.0.2.10',
  })
  const { naming } = checking.context
  const authorities = [{ id: 'https://ca.example/directory', identities: ['ca.example'] }]
  const withDns = (challengeDns: boolean): DomainContext => {
    return { ...checking.context, naming: { ...naming, authorities, challengeDns } }
  }
  const delegation = (row: DomainRow) => {
    const { fqdn, value } = delegationRecord(row, naming)
    return `${fqdn}. 60 CNAME ${value}.`
  }
  return {
    checking,
    tenant: await checking.addTenant('acme'),
    withDns,
    delegation,
    set: (...lines: string[]) => checking.nameserver.setZone('acme.test', lines.join('\n')),
  }
}

const blocking = (row: DomainRow) =>
  lastCheckOf(row)?.check.findings.filter(({ code }) => code === 'caa_blocks') ?? assert.fail()

onEachDatabase('CAA records that allow some validation methods only', ({ open }) => {
  test('are respected by a delegation, which is offered where it is missing', { skip }, async () => {
    await using database = await open()
    const { checking, tenant, withDns, delegation, set } = await start(database)
    await using _ = checking
    await set(dnsOnly)
    const before = await checkName(withDns(true), tenant.account.id, name)
    assert.ok(!before.findings.some(({ code }) => code === 'caa_blocks'))
    const row = await tenant.add(name)
    await set(dnsOnly, cname(row))
    const [blocks] = blocking(await tenant.verify(name, withDns(true)))
    assert.deepEqual(blocks?.records, [delegationRecord(row, checking.context.naming)])
    assert.match(blocks?.fix ?? '', /delegate certificate challenges to us with a CNAME record at _acme-/)
    await set(dnsOnly, cname(row), delegation(row))
    assert.deepEqual(blocking(await tenant.verify(name, withDns(true))), [])
  })

  test('have to change on a server without a nameserver for challenges', { skip }, async () => {
    await using database = await open()
    const { checking, tenant, withDns, delegation, set } = await start(database)
    await using _ = checking
    const row = await tenant.add(name)
    await set(dnsOnly, cname(row), delegation(row))
    const [blocks] = blocking(await tenant.verify(name, withDns(false)))
    assert.deepEqual(blocks?.records, [{ type: 'CAA', fqdn: 'acme.test', value: '0 issue "ca.example"' }])
    const message = recordFormats.message.write([
      await describeDomain(withDns(false), await tenant.row(name)),
    ])
    assert.match(
      message,
      /Add a record\n {3}Type: {3}CAA\n.*acme\.test\)\n {3}Value: {2}0 issue "ca\.example"/,
    )
    const before = await checkName(withDns(false), (await checking.addTenant('other')).account.id, name)
    assert.ok(before.findings.some(({ code }) => code === 'caa_blocks'))
  })

  test('block a wildcard unless they allow dns-01', { skip }, async () => {
    await using database = await open()
    const { checking, tenant, withDns, delegation, set } = await start(database)
    await using _ = checking
    const row = await tenant.add('*.acme.test', withDns(true))
    for (const [method, count] of Object.entries({ 'http-01': 1, 'dns-01': 0 })) {
      const caa = `@ 60 CAA 0 issuewild "ca.example; validationmethods=${method}"`
      await set(caa, cname(row, '*'), delegation(row))
      assert.equal(blocking(await tenant.verify('*.acme.test', withDns(true))).length, count, method)
    }
  })
})
