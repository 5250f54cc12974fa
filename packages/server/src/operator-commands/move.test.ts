import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'
import { createInstallation } from '../backup/installation.test-kit.ts'
import { shareDataFolder } from '../database/data-folder-lock.ts'
import { runProgram, startProgram } from './run-program.test-kit.ts'

describe('masthead-server move', { skip: skipWithout('postgresql') }, () => {
  test('killed while it copies rows, then while it copies files, it finishes with equal digests', async () => {
    await using installation = await createInstallation({
      rows: 150,
      accounts: 8,
      deploymentsPerAccount: 3,
      filesPerDeployment: 20,
    })
    await using target = await postgresSchema()
    const moved = join(installation.path, 'moved')
    const env = { MASTHEAD_DATA: installation.dataFolder }
    const args = ['move', '--to', target.url, '--blobs', moved]
    const copiedRows = async () => {
      const query = `select sum(copied)::int as rows from unfinished_copy`
      return (await target.query<{ rows: number }>(query).catch(() => []))[0]?.rows ?? 0
    }
    const copiedFiles = async () => (await readdir(moved, { recursive: true }).catch(() => [])).length
    const rows = 150 + Math.floor(Math.random() * 4_000)
    const files = 10 + Math.floor(Math.random() * 400)
    for (const isTime of [
      async () => (await copiedRows()) >= rows,
      async () => (await copiedFiles()) >= files,
    ]) {
      const { child, done } = startProgram(args, env)
      await until(async () => child.exitCode !== null || (await isTime()))
      child.kill('SIGKILL')
      const { status, stderr } = await done()
      assert.equal(status, null, stderr)
    }
    const { status, stdout, stderr } = await runProgram(args, env)
    assert.deepEqual(
      { status, stderr: stderr.match(/^\w+ \w+:/gm) },
      {
        status: 0,
        stderr: ['Reading rows:', 'Copying rows:', 'Copying files:', 'Checking rows:'],
      },
    )
    assert.match(stdout, /^Everything has been moved: [\d,]+ rows of \d+ tables are equal\.$/m)
    const found = (await readdir(moved, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && !entry.parentPath.endsWith('staging'),
    )
    const storeId = 1
    assert.equal(found.length, installation.files.size + storeId)
  })

  test('says what to set, and no secret', async () => {
    await using installation = await createInstallation()
    await using target = await postgresSchema()
    const url = target.url.replace('postgres@', 'postgres:s3cr3t@')
    await writeFile(join(installation.dataFolder, 'master.key'), 'S3CR3T\n', { mode: 0o600 })
    const { status, stdout, stderr } = await runProgram(['move', '--to', url], {
      MASTHEAD_DATA: installation.dataFolder,
    })
    assert.equal(status, 0, stderr)
    for (const name of ['DATABASE_URL', 'MASTHEAD_MASTER_KEY', 'MASTHEAD_OPERATOR_KEY'])
      assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
    assert.doesNotMatch(stdout + stderr, /s3cr3t/i)
  })

  test('refuses while a server uses the data folder', async () => {
    await using installation = await createInstallation()
    await using target = await postgresSchema()
    const env = { MASTHEAD_DATA: installation.dataFolder }
    const server = shareDataFolder(installation.dataFolder)
    const refused = await runProgram(['move', '--to', target.url], env)
    assert.equal(refused.status, 1)
    assert.match(refused.stderr, /^A server is running with .* Stop the server and run this again\.$/m)
    assert.deepEqual(await target.query('select 1 from pg_tables where schemaname = current_schema()'), [])
    server.release()
    // A version from before there was a lock only has the database open.
    const database = new DatabaseSync(installation.databaseFile)
    database.prepare('select count(*) from accounts').get()
    assert.match((await runProgram(['move', '--to', target.url], env)).stderr, /^A server is running with/m)
    database.close()
    assert.equal((await runProgram(['move', '--to', target.url], env)).status, 0)
  })

  test('what is wrong with the arguments or settings is said before anything happens', async () => {
    await using installation = await createInstallation()
    const env = { MASTHEAD_DATA: installation.dataFolder }
    const none = { MASTHEAD_DATA: join(installation.path, 'none') }
    const url = 'postgres://127.0.0.1:9/none'
    for (const [args, settings, reason] of [
      [['move'], env, /^--to is missing/],
      [['move', '--to', 'mysql://localhost/x'], env, /^DATABASE_URL: \(not shown\) is not allowed/],
      [['move', '--to', url], none, /^The folder .* does not exist/],
      [['move', '--to', url], { ...env, DATABASE_URL: url }, /is on PostgreSQL already/],
      [['move', '--to', url], env, /Nothing answers at this address/],
    ] as const) {
      const { status, stderr } = await runProgram(args, settings)
      assert.notEqual(status, 0)
      assert.match(stderr.replace(/^Reading rows.*\n/, ''), reason)
      assert.doesNotMatch(stderr, /\n\s+at /)
    }
  })
})
