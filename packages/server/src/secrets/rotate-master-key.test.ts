import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { sql } from 'kysely'
import { createAccount } from '../accounts/account-lifecycle.ts'
import { certificateRow } from '../certificates/certificate-row.test-kit.ts'
import { ensureInternalRoot } from '../certificates/internal-ca/internal-issuer.ts'
import { requestCertificate } from '../certificates/jobs/request-certificate.ts'
import { findCertificate } from '../certificates/read.ts'
import { purposes } from '../certificates/sealed-columns.ts'
import { putCertificate } from '../certificates/store.ts'
import { currentTicketKey } from '../certificates/tickets/ticket-keys.ts'
import type { Database } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { openChangeFeed } from '../events/change-feed.ts'
import { system } from '../events/record-event.ts'
import { newId } from '../kernel/ids.ts'
import { sealedColumns } from '../operator-commands/sealed-columns.ts'
import { createProject, type ProjectContext } from '../projects/create-project.ts'
import { openSecrets, sealSecret } from '../webhooks/secrets.ts'
import { type KeyRing, masterKeyPath, readMasterKeyFile } from './master-key.ts'
import { type MasterKeySource, openSealing } from './open-sealing.ts'
import { operatorKeyColumn } from './operator-key.ts'
import { rotateMasterKey as rotateColumns } from './rotate-master-key.ts'
import { createSealing, keyId, type Sealing } from './sealing.ts'
import { siteKeyColumn } from './site-key.ts'

const now = () => Date.UTC(2030, 0, 1)
const directory = 'https://ca.example/directory'

const rotateMasterKey = (context: { database: Database }, source: MasterKeySource) =>
  rotateColumns(context, source, sealedColumns)

/** Puts a value into every sealed column, and more than one page of them into one. */
async function fill(database: Database, sealing: Sealing, certificates = 600): Promise<void> {
  const changes = await openChangeFeed({ database, now }, { warn: () => {} })
  await currentTicketKey({ database, now, sealing })
  await ensureInternalRoot({ database, now, sealing })
  await database.write(async (tx) => {
    for (let index = 0; index < certificates; index++) {
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
    const id = 'shared'
    const operator = sealing.seal('operator key', operatorKeyColumn.purpose(id))
    await tx.insertInto('operator_key').values({ id, sealed_key: operator, created_at: now() }).execute()
    const site = sealing.seal('site key', siteKeyColumn.purpose(id))
    await tx.insertInto('site_key').values({ id, sealed_key: site, created_at: now() }).execute()
    const { id: account_id } = await createAccount(tx, { name: 'Acme', plan: 'free', by: system, at: now() })
    await tx
      .insertInto('webhooks')
      .values({
        ...{ id: 'whk_1', account_id, url: 'https://acme.test', format: 'standard', events: null },
        sealed_secret: sealSecret(sealing, 'whk_1', 'whsec_a'),
        sealed_previous_secret: sealSecret(sealing, 'whk_1', 'whsec_b'),
        sealed_older_secrets: sealSecret(sealing, 'whk_1', '[]'),
        ...{ previous_until: now(), created_at: now(), disabled_at: null, disabled_reason: null },
        ...{ failures: 0, failing_since: null, paused_until: 0, delivered_at: null, responsible_id: null },
      })
      .execute()
  })
  await addOwnCertificate({ database, now, changes }, sealing)
  changes.close()
}

async function addOwnCertificate(context: ProjectContext, sealing: Sealing): Promise<void> {
  const { database } = context
  const { id: accountId } = await database.write((tx) =>
    createAccount(tx, { name: 'Own', plan: 'pro', by: system, at: now() }),
  )
  const settings = { htmlHandling: 'auto', singlePage: false } as const
  const project = await createProject(context, { slug: 'own', ...settings, accountId, by: system })
  const id = newId('domain', now())
  await database.write(async (tx) => {
    await tx
      .insertInto('domains')
      .values({
        ...{
          id,
          account_id: accountId,
          project_id: project.id,
          hostname: 'own.acme.test',
          kind: 'subdomain',
        },
        ...{ state: 'pending', state_before: null, held: 0, target: 'target', challenge: 'challenge' },
        ...{ created_at: now(), verified_at: null, live_at: null, searching_since: now(), asked_at: now() },
        ...{ state_since: now(), next_check_at: null, lease_owner: null, lease_until: 0 },
        ...{ last_check: null, probe: null },
      })
      .execute()
    await tx
      .insertInto('own_certificates')
      .values({
        ...{ domain_id: id, chain: 'a chain', serial: '01', issuer_title: 'A CA', names: '[]', trusted: 1 },
        ...{ not_before: now(), not_after: now(), uploaded_at: now(), warn_at: null },
        sealed_key: sealing.seal('own key', purposes.ownCertificate(id)),
      })
      .execute()
  })
}

/** The ids of all keys that stored values are sealed under. */
async function keysInUse(database: Database): Promise<string[]> {
  const ids = new Set<string>()
  for (const { table, column } of [...sealedColumns, { table: 'master_key_check', column: 'sealed' }]) {
    const { rows } = await sql<{ sealed: string | null }>`
      select ${sql.ref(column)} as sealed from ${sql.table(table)}`.execute(database.read)
    assert.ok(rows.length > 0, `${table} is empty`)
    for (const { sealed } of rows) if (sealed !== null) ids.add(sealed.split('.')[1] ?? '')
  }
  return [...ids]
}

async function assertOpens(database: Database, sealing: Sealing): Promise<void> {
  const found = await findCertificate({ database, sealing }, 'n0.acme.test')
  assert.equal(found?.keyPem, 'n0.acme.test')
  await ensureInternalRoot({ database, now, sealing })
}

onEachDatabase('rotation of the master key', ({ open }) => {
  test('everything is resealed under the new key while a running process keeps working', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: null, dataFolder: folder.path }
    const running = await openSealing({ database }, source)
    await fill(database, running)
    const [before] = readMasterKeyFile(masterKeyPath(folder.path)) ?? assert.fail()

    const rotated = await rotateMasterKey({ database }, source)
    assert.equal(rotated.values, 600 + 11)
    assert.notEqual(rotated.keyId, keyId(before))
    assert.deepEqual(await keysInUse(database), [rotated.keyId])
    await assertOpens(database, running)
    await assertOpens(database, await openSealing({ database }, source))

    await rotateMasterKey({ database }, source)
    const keys = readMasterKeyFile(masterKeyPath(folder.path)) ?? assert.fail()
    assert.deepEqual(keys.slice(1).map(keyId), [rotated.keyId])
    await assertOpens(database, running)
  })

  test('what a process seals under the old key in the meantime still opens, even a rotation later', async () => {
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

  test('interrupted at any step, everything still opens and the next run completes it', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: null, dataFolder: folder.path }
    await fill(database, await openSealing({ database }, source), 150)
    const killed = () => assert.fail('killed')
    for (let step = 0, isDone = false; !isDone; step++) {
      assert.ok(step < 20, 'the rotation takes a bounded number of writes')
      for (const at of ['before the commit', 'after the commit'] as const) {
        let writes = 0
        const write: Database['write'] = (work) => {
          if (writes++ !== step) return database.write(work)
          if (at === 'after the commit') return database.write(work).then(killed)
          return database.write((tx) => work(tx).then(killed))
        }
        const rotating = rotateMasterKey({ database: { ...database, write } }, source)
        isDone = await rotating.then(
          () => true,
          (error: Error) => (error.message === 'killed' ? false : Promise.reject(error)),
        )
        await assertOpens(database, await openSealing({ database }, source))
        const { keyId: id } = await rotateMasterKey({ database }, source)
        assert.deepEqual(await keysInUse(database), [id])
        await assertOpens(database, await openSealing({ database }, source))
        assert.equal(readMasterKeyFile(masterKeyPath(folder.path))?.length, 2)
      }
    }
  })

  test('two concurrent rotations end with one new key', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: null, dataFolder: folder.path }
    await fill(database, await openSealing({ database }, source))
    const bothHaveStarted = Promise.withResolvers<void>()
    let started = 0
    const rotate = () => {
      let writes = 0
      const write: Database['write'] = async (work) => {
        if (writes++ > 0) await bothHaveStarted.promise
        const result = await database.write(work)
        if (writes === 1 && ++started === 2) bothHaveStarted.resolve()
        return result
      }
      return rotateMasterKey({ database: { ...database, write } }, source)
    }
    const [one, other] = await Promise.all([rotate(), rotate()])
    assert.equal(one.keyId, other.keyId)
    assert.deepEqual(await keysInUse(database), [one.keyId])
    await assertOpens(database, await openSealing({ database }, source))
  })

  test('other processes can write between two pages', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: null, dataFolder: folder.path }
    const running = await openSealing({ database }, source)
    await fill(database, running)
    let between = 0
    const write: Database['write'] = async (work) => {
      const name = `between${between++}.acme.test`
      const sealed_key = running.seal('between', purposes.certificate(name))
      await database.write((tx) => putCertificate(tx, certificateRow(name, { sealed_key })))
      return database.write(work)
    }
    const { keyId: id } = await rotateMasterKey({ database: { ...database, write } }, source)
    assert.ok(between > 6)
    assert.deepEqual(await keysInUse(database), [id])
  })

  test('a value that an old process puts back meanwhile is found by the next pass', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const [old, fresh] = [randomBytes(32), randomBytes(32)]
    const given = (...keys: KeyRing) => ({ given: keys, dataFolder: folder.path })
    await fill(database, await openSealing({ database }, given(old)))
    const late = certificateRow('a.acme.test', {
      sealed_key: createSealing([old]).seal('late', purposes.certificate('a.acme.test')),
    })
    let writes = 0
    const write: Database['write'] = async (work) => {
      const result = await database.write(work)
      // All pages of certificates have been written by then.
      if (++writes === 8) await database.write((tx) => putCertificate(tx, late))
      return result
    }
    const { keyId: id } = await rotateMasterKey({ database: { ...database, write } }, given(fresh, old))
    assert.deepEqual(await keysInUse(database), [id])
  })

  test('a given key is rotated by putting the new one first', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const [old, fresh] = [randomBytes(32), randomBytes(32)]
    const given = (...keys: KeyRing) => ({ given: keys, dataFolder: folder.path })
    await fill(database, await openSealing({ database }, given(old)))
    const { keyId: id } = await rotateMasterKey({ database }, given(fresh, old))
    assert.equal(id, keyId(fresh))
    assert.deepEqual(await keysInUse(database), [id])
    await assertOpens(database, await openSealing({ database }, given(fresh)))
    await assert.rejects(rotateMasterKey({ database }, given(old)), { name: 'MasterKeyError' })
  })

  test('a database that no server has used is left alone: it is likely the wrong one', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const rotating = rotateMasterKey({ database }, { given: null, dataFolder: folder.path })
    await assert.rejects(rotating, {
      name: 'MasterKeyError',
      message: /with the same settings as the server/,
    })
    assert.equal(readMasterKeyFile(masterKeyPath(folder.path)), null)
  })

  test('a value that cannot be opened stops the rotation before anything changes', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: null, dataFolder: folder.path }
    await fill(database, await openSealing({ database }, source))
    const broken = certificateRow('broken.acme.test', { sealed_key: 'v1.00000000.AAAA.AAAA.AAAA' })
    await database.write((tx) => putCertificate(tx, broken))
    const before = await keysInUse(database)
    const keys = readMasterKeyFile(masterKeyPath(folder.path))
    await assert.rejects(rotateMasterKey({ database }, source), {
      name: 'SealingError',
      message: /^The value for "certificate of broken\.acme\.test" is sealed under master key 00000000/,
    })
    assert.deepEqual(await keysInUse(database), before)
    assert.deepEqual(readMasterKeyFile(masterKeyPath(folder.path)), keys)
    await assertOpens(database, await openSealing({ database }, source))
  })

  test('former secrets that an older version left under the key before are no obstacle, and are removed', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const [lost, old, fresh] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    const given = (...keys: KeyRing) => ({ given: keys, dataFolder: folder.path })
    const sealing = await openSealing({ database }, given(old))
    await fill(database, sealing)
    const sealed_older_secrets = sealSecret(createSealing([lost]), 'whk_1', '[]')
    await database.write((tx) => tx.updateTable('webhooks').set({ sealed_older_secrets }).execute())
    const find = () => database.read.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual(openSecrets(sealing, await find(), now() - 1), ['whsec_a', 'whsec_b'])

    await rotateMasterKey({ database }, given(fresh, old))
    const row = await find()
    assert.equal(row.sealed_older_secrets, null)
    assert.deepEqual(openSecrets(createSealing([fresh]), row, now() - 1), ['whsec_a', 'whsec_b'])
  })
})
