import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { createInstallation } from '../backup/installation.test-kit.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { runProgram, startProgram } from './run-program.test-kit.ts'

const small = { accounts: 1, deploymentsPerAccount: 1 }

async function backUp(folder: string, env: Record<string, string>) {
  const { status, stderr } = await runProgram(['backup', folder], env)
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
