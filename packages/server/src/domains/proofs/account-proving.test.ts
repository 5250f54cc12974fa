import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { createAccount } from '../../accounts/account-lifecycle.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { system } from '../../events/record-event.ts'
import { accountProving } from './account-proving.ts'
import { proveDomain } from './proof-row.test-kit.ts'

async function addAccount(database: Database, name: string): Promise<Id<'account'>> {
  const account = await database.write((tx) => createAccount(tx, { name, plan: 'pro', by: system, at: 1 }))
  return account.id
}

onEachDatabase('the account that proves a name', ({ open }) => {
  test('is the one with the most specific standing proof above it', async () => {
    await using database = await open()
    const [acme, dept, stranger] = [
      await addAccount(database, 'acme'),
      await addAccount(database, 'dept'),
      await addAccount(database, 'stranger'),
    ]
    await proveDomain(database, acme, 'acme.test')
    await proveDomain(database, dept, 'dept.acme.test')
    await proveDomain(database, stranger, 'acme.test', 0)
    await proveDomain(database, stranger, 'other.test', 0)
    const cases: [name: string, account: string | null][] = [
      ['acme.test', acme],
      ['ACME.test.', acme],
      ['www.acme.test', acme],
      ['*.acme.test', acme],
      ['a.b.c.d.acme.test', acme],
      ['dept.acme.test', dept],
      ['*.dept.acme.test', dept],
      ['www.dept.acme.test', dept],
      ['notdept.acme.test', acme],
      ['notacme.test', null],
      ['acme.test.evil.test', null],
      ['other.test', null],
      ['www.other.test', null],
      ['test', null],
      ['', null],
      [`${'a.'.repeat(120)}acme.test`, acme],
    ]
    for (const [name, account] of cases)
      assert.equal(await accountProving(database.read, name), account, name)
  })

  test('is one only: a second standing proof of a domain cannot be stored', async () => {
    await using database = await open()
    await proveDomain(database, await addAccount(database, 'one'), 'acme.test')
    await assert.rejects(proveDomain(database, await addAccount(database, 'two'), 'acme.test'))
  })
})
