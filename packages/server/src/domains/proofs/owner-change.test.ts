import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { hour } from '../../kernel/clock.ts'
import type { DomainContext } from '../context.ts'
import { startDomains } from '../domains.test-kit.ts'
import { proveDomain } from './proof-row.test-kit.ts'
import { removeAllProofs } from './remove-proof.ts'

onEachDatabase('an account whose proofs end all at once', ({ open }) => {
  test('has its wildcards changed before the change feed is locked, for which their checks may wait', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    const { account, project } = await domains.addCustomer('many', 'business')
    const proved = ['one.com', 'two.com', 'three.com']
    for (const domain of proved) {
      await proveDomain(database, account.id, domain)
      await domains.prove(await domains.add(`*.${domain}`, { to: project }))
    }
    clock.at += hour
    const dueAtRecord: number[] = []
    const changes: DomainContext['changes'] = {
      ...context.changes,
      async record(tx, change) {
        const due = tx.selectFrom('domains').select('id').where('next_check_at', '=', clock.at)
        dueAtRecord.push((await due.execute()).length)
        await context.changes.record(tx, change)
      },
    }
    await database.write((tx) => removeAllProofs({ ...context, changes }, tx, account.id))
    assert.deepEqual(dueAtRecord, Array(2 * proved.length).fill(proved.length))
  })
})
