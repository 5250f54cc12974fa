import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { programEnvironment } from '@masthead/testing/programs.ts'
import { assertServed } from './ca-and-dns.ts'
import { createTenant, requiredRecord, waitUntilLive } from './tenant.ts'

const program = fileURLToPath(
  new URL('../packages/server/src/operator-commands/rotate-master-key.ts', import.meta.url),
)

/** As an operator runs it, next to the server. */
async function rotate({ dataFolder }: MastheadProcess, env: Record<string, string> = {}): Promise<string> {
  const settings = { ...programEnvironment, MASTHEAD_DATA: dataFolder, ...env }
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env: settings })
  return stdout
}

test('the master key can be rotated while the server runs, and domains keep working, also after a restart', {
  timeout: 300_000,
}, async () => {
  const labPort = String(await freeDnsPort('127.0.0.1'))
  await using masthead = await MastheadProcess.start({ env: { MASTHEAD_LAB_PORT: labPort } })
  const tenant = await createTenant(masthead, 'acme')
  const [before, after] = ['www.acme.localhost', 'late.acme.localhost']
  const goLive = async (name: string) => {
    const value = requiredRecord(await tenant.add(name), 'CNAME')
    await tenant.client.setLabRecord({ params: { name, type: 'CNAME' }, body: { values: [value] } })
    await tenant.verify(name)
    await waitUntilLive(tenant)
  }
  await goLive(before)
  const keyFile = join(masthead.dataFolder, 'master.key')
  const [old = ''] = (await readFile(keyFile, 'utf8')).split('\n')

  assert.match(await rotate(masthead), /^Everything is now sealed with the master key [0-9a-f]{8} /)
  const keys = (await readFile(keyFile, 'utf8')).trim().split('\n')
  assert.notEqual(keys[0], old)
  assert.equal(keys[1], old)
  assert.equal((await stat(keyFile)).mode & 0o777, 0o600)

  await goLive(after)
  const shown = { root: await tenant.client.getCaRoot(), page: 'acme' }
  await assertServed(masthead, [before, after], shown)
  await masthead.restart()
  await assertServed(masthead, [before, after], shown)
  await assert.rejects(
    rotate(masthead, { MASTHEAD_MASTER_KEY: old }),
    /is not the master key of this database/,
  )
})

test('the master key is not rotated while a running node would not have the new one', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  await using schema = await postgresSchema()
  const database = { DATABASE_URL: schema.url }
  await using first = await MastheadProcess.start({ env: database })
  const keyFile = join(first.dataFolder, 'master.key')
  const old = (await readFile(keyFile, 'utf8')).trim()
  const beside = { ...database, MASTHEAD_DATA: first.dataFolder }
  {
    await using _second = await MastheadProcess.start({ env: { ...beside, MASTHEAD_MASTER_KEY: old } })
    await assert.rejects(rotate(first, database), /\(process \d+\) would not get the new key, because/)
    assert.equal((await readFile(keyFile, 'utf8')).trim(), old)
  }
  const both = { MASTHEAD_MASTER_KEY: `${randomBytes(32).toString('base64')},${old}` }
  await assert.rejects(
    rotate(first, { ...database, ...both }),
    /\(process \d+\) would not seal under the new key/,
  )
  await using _third = await MastheadProcess.start({ env: { ...beside, ...both } })
  await first.kill('SIGTERM')
  assert.match(await rotate(first, { ...database, ...both }), /^Everything is now sealed/)
})
