import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { openChangeFeed } from '../events/change-feed.ts'
import { certificateRow } from './certificate-row.test-kit.ts'
import { ensureInternalRoot } from './internal-issuer.ts'
import { type KeyRing, masterKeyPath, readMasterKeyFile } from './master-key.ts'
import { openSealing } from './open-sealing.ts'
import { findCertificate } from './read.ts'
import { requestCertificate } from './request-certificate.ts'
import { rotateMasterKey } from './rotate-master-key.ts'
import { purposes, sealedValues } from './sealed-values.ts'
import { createSealing, keyId, type Sealing } from './sealing.ts'
import { putCertificate } from './store.ts'
import { currentTicketKeys } from './ticket-keys.ts'

const now = () => Date.UTC(2030, 0, 1)
const directory = 'https://ca.example/directory'

/** A value in every place that has any, more than a page of them in one. */
async function fill(database: Database, sealing: Sealing): Promise<void> {
  const changes = await openChangeFeed({ database, now }, { warn: () => {} })
  await currentTicketKeys({ database, now, sealing })
  await ensureInternalRoot({ database, now, sealing })
  await database.write(async (tx) => {
    for (let index = 0; index < 600; index++) {
      const name = `n${index}.acme.test`
      await putCertificate(
        tx,
        certificateRow(name, { sealed_key: sealing.seal(name, purposes.certificate(name)) }),
      )
    }
    await requestCertificate({ changes }, tx, { name: 'job.acme.test', reason: 'first', at: now() })
    await requestCertificate({ changes }, tx, { name: 'new.acme.test', reason: 'first', at: now() })
    const sealed_key = sealing.seal('job key', purposes.certificate('job.acme.test'))
    await tx.updateTable('certificate_jobs').set({ sealed_key }).where('name', '=', 'job.acme.test').execute()
    const account = sealing.seal('account key', purposes.account(directory))
    await tx
      .insertInto('acme_accounts')
      .values({ directory, url: null, sealed_key: account, created_at: now() })
      .execute()
  })
  changes.close()
}

/** Ids of the keys that anything is sealed under. */
async function keysInUse(database: Database): Promise<string[]> {
  const ids = new Set<string>()
  for (const { table, column } of sealedValues) {
    const { rows } = await sql<{ sealed: string | null }>`
      select ${sql.ref(column)} as sealed from ${sql.table(table)}`.execute(database.read)
    assert.ok(rows.length > 0, `${table} is empty`)
    for (const { sealed } of rows) if (sealed !== null) ids.add(sealed.split('.')[1] ?? '')
  }
  return [...ids]
}

async function opens(database: Database, sealing: Sealing): Promise<void> {
  const found = await findCertificate({ database, sealing }, 'n599.acme.test')
  assert.equal(found?.keyPem, 'n599.acme.test')
  await ensureInternalRoot({ database, now, sealing })
}

onEachDatabase('rotation of the master key', ({ open }) => {
  test('everything is sealed under the new key, and a process that runs goes on', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: null, dataFolder: folder.path }
    const running = await openSealing({ database }, source)
    await fill(database, running)
    const [before] = readMasterKeyFile(masterKeyPath(folder.path)) ?? assert.fail()

    const rotated = await rotateMasterKey({ database }, source)
    assert.equal(rotated.values, 600 + 5)
    assert.notEqual(rotated.keyId, keyId(before))
    assert.deepEqual(await keysInUse(database), [rotated.keyId])
    await opens(database, running)
    await opens(database, await openSealing({ database }, source))

    await rotateMasterKey({ database }, source)
    const keys = readMasterKeyFile(masterKeyPath(folder.path)) ?? assert.fail()
    assert.deepEqual(keys.slice(1).map(keyId), [rotated.keyId])
    await opens(database, running)
  })

  test('what a process seals under the old key in the meantime still opens, also a rotation later', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: null, dataFolder: folder.path }
    await fill(database, await openSealing({ database }, source))
    const old = createSealing(readMasterKeyFile(masterKeyPath(folder.path)) ?? assert.fail())
    await rotateMasterKey({ database }, source)
    const purpose = purposes.certificate('late.acme.test')
    const late = certificateRow('late.acme.test', { sealed_key: old.seal('late', purpose) })
    await database.write((tx) => putCertificate(tx, late))
    for (let start = 0; start < 2; start++) {
      const sealing = await openSealing({ database }, source)
      assert.equal((await findCertificate({ database, sealing }, 'late.acme.test'))?.keyPem, 'late')
      const { keyId: id } = await rotateMasterKey({ database }, source)
      assert.deepEqual(await keysInUse(database), [id])
    }
  })

  test('interrupted at any step it leaves everything to be opened, and is brought to its end', async () => {
    for (const step of ['file written', 'while sealing', 'sealed'] as const) {
      await using folder = await temporaryFolder()
      await using database = await open()
      const source = { given: null, dataFolder: folder.path }
      await fill(database, await openSealing({ database }, source))
      const path = masterKeyPath(folder.path)
      const [before] = readMasterKeyFile(path) ?? assert.fail()

      const write: Database['write'] = async (work) => {
        if (step === 'file written') throw new Error('killed')
        const result = await database.write(async (tx) => {
          const value = await work(tx)
          if (step === 'while sealing') throw new Error('killed')
          return value
        })
        throw Object.assign(new Error('killed'), { result })
      }
      await assert.rejects(rotateMasterKey({ database: { ...database, write } }, source), /killed/)
      await opens(database, await openSealing({ database }, source))
      const { keyId: id } = await rotateMasterKey({ database }, source)
      assert.deepEqual(await keysInUse(database), [id])
      await opens(database, await openSealing({ database }, source))
      const left = readMasterKeyFile(path) ?? assert.fail()
      assert.ok(left.length <= 2, `${left.length} keys are left`)
      if (step !== 'sealed') assert.deepEqual(left[1], before)
    }
  })

  test('a given key is changed by giving the new one first', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const [old, fresh] = [randomBytes(32), randomBytes(32)]
    const given = (...keys: KeyRing) => ({ given: keys, dataFolder: folder.path })
    await fill(database, await openSealing({ database }, given(old)))
    const { keyId: id } = await rotateMasterKey({ database }, given(fresh, old))
    assert.equal(id, keyId(fresh))
    assert.deepEqual(await keysInUse(database), [id])
    await opens(database, await openSealing({ database }, given(fresh)))
    await assert.rejects(rotateMasterKey({ database }, given(old)), { name: 'MasterKeyError' })
  })

  test('a value that cannot be opened stops it, with nothing changed', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: null, dataFolder: folder.path }
    await fill(database, await openSealing({ database }, source))
    const broken = certificateRow('broken.acme.test', { sealed_key: 'v1.00000000.AAAA.AAAA.AAAA' })
    await database.write((tx) => putCertificate(tx, broken))
    const before = await keysInUse(database)
    await assert.rejects(rotateMasterKey({ database }, source), { name: 'SealingError' })
    assert.deepEqual(await keysInUse(database), before)
    await opens(database, await openSealing({ database }, source))
  })
})
