import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { createInstallation, storedFiles } from '../backup/installation.test-kit.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { runHere, runProgram, startProgram } from './run-program.test-kit.ts'

const small = { accounts: 1, deploymentsPerAccount: 1 }

async function backUp(folder: string, env: Record<string, string>, run = runProgram) {
  const { status, stderr } = await run(['backup', folder], env)
  assert.equal(status, 0, stderr)
  const [name = ''] = await readdir(join(folder, 'snapshots'))
  return { name, path: join(folder, 'snapshots', name) }
}

const tablesOf = async (snapshot: string) =>
  JSON.parse(await readFile(join(snapshot, 'manifest.json'), 'utf8')).tables

onEachDatabase('restore', ({ emptyLocation }) => {
  test('after an interrupted one of another backup has only its own rows', async () => {
    await using location = await emptyLocation()
    await using staging = await createInstallation({ ...small, rows: 3 })
    await using production = await createInstallation(small)
    const [first, second] = [join(staging.path, 'backup'), join(production.path, 'backup')]
    const { path: interrupted, name } = await backUp(first, { MASTHEAD_DATA: staging.dataFolder })
    const { path } = await backUp(second, { MASTHEAD_DATA: production.dataFolder })
    // As if both had been made in the same second.
    const wanted = join(second, 'snapshots', name)
    if (path !== wanted) await rename(path, wanted)
    assert.notDeepEqual(await tablesOf(interrupted), await tablesOf(wanted))

    const data = join(production.path, 'restored')
    const env = {
      MASTHEAD_DATA: data,
      ...(location.dialect === 'postgres' && { DATABASE_URL: location.url }),
    }
    // Reading this file never ends.
    const [blob = ''] = (await readdir(join(first, 'files'), { recursive: true })).filter((one) =>
      /\w{64}$/.test(one),
    )
    await rm(join(first, 'files', blob))
    execFileSync('mkfifo', [join(first, 'files', blob)])
    const { child, done } = startProgram(['restore', first], env)
    const restoring = async () =>
      (await readdir(data).catch(() => [])).some((one) => /^restoring-.*\.db$/.test(one))
    await until(async () => child.exitCode !== null || (await restoring()))
    child.kill('SIGKILL')
    await done()
    assert.ok(await restoring())

    const { status, stdout, stderr } = await runProgram(['restore', second, '--start-over'], env)
    assert.equal(status, 0, stderr)
    assert.match(stdout, /has been restored/)
    assert.deepEqual(
      (await readdir(data)).filter((one) => one.startsWith('restoring')),
      [],
    )
    const { path: again } = await backUp(join(production.path, 'again'), env)
    assert.deepEqual(await tablesOf(again), await tablesOf(wanted))
  })
})

test('a database is neither restored nor created where the last changes of another one are left', async () => {
  await using installation = await createInstallation(small)
  const { dataFolder, databaseFile } = installation
  const [backup, env] = [join(installation.path, 'backup'), { MASTHEAD_DATA: dataFolder }]
  const { path } = await backUp(backup, env, runHere)
  const server = new DatabaseSync(databaseFile)
  server.exec(`pragma journal_mode = wal; update accounts set name = 'changed'`)
  const log = await readFile(`${databaseFile}-wal`)
  server.close()
  await writeFile(`${databaseFile}-wal`, log)
  await rename(databaseFile, `${databaseFile}.broken`)

  for (const command of [['restore', backup, '--use-store'], ['use-store']]) {
    const { status, stderr } = await runHere(command, env)
    assert.equal(status, 1, stderr)
    assert.match(stderr, /masthead\.db is missing, but .*masthead\.db-wal is there.*move this file to it/)
    assert.deepEqual(await readFile(`${databaseFile}-wal`), log)
  }
  await rename(`${databaseFile}-wal`, `${databaseFile}.broken-wal`)
  const { status, stderr } = await runHere(['restore', backup, '--use-store'], env)
  assert.equal(status, 0, stderr)
  const { path: again } = await backUp(join(installation.path, 'again'), env, runHere)
  assert.deepEqual(await tablesOf(again), await tablesOf(path))
})

test('a restore over a damaged database says what to move, and then keeps the files', async () => {
  await using installation = await createInstallation(small)
  const { dataFolder, databaseFile } = installation
  const [backup, env] = [join(installation.path, 'backup'), { MASTHEAD_DATA: dataFolder }]
  await backUp(backup, env, runHere)
  const whole = await readFile(databaseFile)
  for (const [start, end] of [
    [0, 100],
    [4096, whole.byteLength],
  ]) {
    const damaged = Buffer.from(whole).fill(0xff, start, end)
    await writeFile(databaseFile, damaged)
    const { status, stderr } = await runHere(['restore', backup], env)
    assert.equal(status, 1)
    assert.match(
      stderr,
      /masthead\.db is damaged.*Nothing was changed\. Move .*run this again with --use-store/,
    )
    assert.deepEqual(await readFile(databaseFile), damaged)
  }
  await rename(databaseFile, `${databaseFile}.damaged`)
  const before = await storedFiles(join(dataFolder, 'blobs'))
  const { status, stderr } = await runHere(['restore', backup, '--use-store'], env)
  assert.equal(status, 0, stderr)
  assert.deepEqual(await storedFiles(join(dataFolder, 'blobs')), before)
})
