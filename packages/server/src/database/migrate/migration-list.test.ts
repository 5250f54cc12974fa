import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findBreakingStatements, statementsOf } from './expanding-statements.test-kit.ts'
import { migrations } from './migration-list.ts'

/** Rewrites a table, and has run everywhere. */
const releasedBefore = new Set(['0006-activity'])

describe('the list of migrations', () => {
  test('is in order, without gaps in what contract migrations need', () => {
    const names = migrations.map(({ name }) => name)
    assert.deepEqual(names, [...new Set(names)].sort())
    for (const { name, kind, needs } of migrations) {
      if (kind === 'expand') assert.equal(needs, null)
      else assert.ok(needs !== null && needs <= name && names.includes(needs), name)
    }
  })

  for (const migration of migrations) {
    if (migration.kind === 'contract' || releasedBefore.has(migration.name)) continue
    for (const dialect of ['sqlite', 'postgres'] as const) {
      test(`${migration.name} only expands on ${dialect}`, async () => {
        const statements = await statementsOf(migration, dialect)
        assert.ok(statements.length > 0)
        assert.deepEqual(findBreakingStatements(statements), [])
      })
    }
  }
})

const expanding = [
  ['create table a (b text not null unique references c (d))'],
  ['create table if not exists a (b text)', 'insert into a (b) select d from c'],
  ['create table a (b text)', 'create unique index a_b on a (b)'],
  ['create index concurrently if not exists a_b on a (b)'],
  ['drop index concurrently if exists a_b', 'create index concurrently a_b on a (b)'],
  ['alter table a add column b text'],
  ['ALTER TABLE "a" ADD COLUMN b  integer NOT NULL DEFAULT 0'],
  ["alter table a add column b text generated always as (substr(c, 1, instr(c, '.') - 1)) virtual"],
  ['alter table a add column b text', 'update a set b = c'],
  [
    'alter table a add column b text',
    'alter table a add column c text',
    'update a set b = (select max(d.e, f) from d), c = 1',
  ],
]
const breaking = [
  ['drop table a'],
  ['create table b (c text)', 'drop table a'],
  ['drop index a_b'],
  ['alter table a drop column b'],
  ['alter table a rename to b'],
  ['alter table a rename column b to c'],
  ['alter table a alter column b type bigint'],
  ['alter table a alter column b set not null'],
  ['alter table a add column b text not null'],
  ['alter table a add column b text unique'],
  ['alter table a add column b text references c (d)'],
  ['alter table a add column b text, drop column c'],
  ['alter table a add column b text generated always as (lower(c)) stored'],
  ['alter table a add constraint b check (c > 0)'],
  ['create unique index a_b on a (b)'],
  ['insert into a (b) values (1)'],
  ['update a set b = 1'],
  ['alter table a add column b text', 'update a set b = c, c = null'],
  ['delete from a'],
  ['truncate a'],
  ['lock table a'],
  ['drop   TABLE "a"'],
]

describe('the check of statements', () => {
  for (const statements of expanding) {
    test(`allows ${statements.join('; ')}`, () => assert.deepEqual(findBreakingStatements(statements), []))
  }
  for (const statements of breaking) {
    test(`refuses ${statements.join('; ')}`, () =>
      assert.equal(findBreakingStatements(statements).length, 1, statements.join('; ')))
  }
})
