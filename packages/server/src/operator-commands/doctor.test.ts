import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { runHere, runProgram } from './run-program.test-kit.ts'

test('doctor --strict fails for a misspelt setting, with the name that was meant', async () => {
  const folder = await temporaryFolder('masthead-doctor')
  try {
    const env = { MASTHEAD_DATA: folder.path, MASTHEAD_DATABASE_URL: 'postgres://masthead:hush@db.example/m' }
    const { status, stdout } = await runProgram(['doctor', '--strict', '--json'], env)
    const report = JSON.parse(stdout) as { checks: { id: string; findings: { fix: string | null }[] }[] }
    const settings = report.checks.find(({ id }) => id === 'settings')
    assert.deepEqual(
      settings?.findings.map(({ fix }) => fix),
      ['Use DATABASE_URL if you mean that, or remove it.'],
    )
    assert.equal(status, 1)
    assert.doesNotMatch(stdout, /hush/)
  } finally {
    await folder.remove()
  }
})

test('a database that is missing beside its last changes is a problem, as no server starts there', async () => {
  await using folder = await temporaryFolder('masthead-doctor')
  const log = join(folder.path, 'masthead.db-wal')
  await writeFile(log, 'changes')
  const { stdout } = await runHere(['doctor', '--json'], { MASTHEAD_DATA: folder.path })
  const report = JSON.parse(stdout) as {
    checks: { id: string; findings: { status: string; message: string }[] }[]
  }
  const [finding] = report.checks.find(({ id }) => id === 'database')?.findings ?? []
  assert.equal(finding?.status, 'problem')
  assert.match(finding?.message ?? '', /masthead\.db is missing, but .*masthead\.db-wal is there/)
})
