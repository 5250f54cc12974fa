import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { repositoryRoot } from './repository.ts'

const program = `
import { printSummary, runTestFiles } from ${JSON.stringify(import.meta.resolve('./run-test-files.ts'))}
const totals = await runTestFiles([process.argv[2]], { concurrency: 1, signal: new AbortController().signal })
printSummary([totals, totals])
process.exitCode = totals.success ? 0 : 1`

/** Runs one test file as `npm test` would. It takes a process of its own, as a test cannot run tests. */
async function runFile(source: string): Promise<{ status: number | null; output: string }> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'a.test.mjs')
  await writeFile(file, `import test from 'node:test'\n${source}`)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const runner = join(folder.path, 'runner.mjs')
  await writeFile(runner, program)
  const args = [runner, relative(repositoryRoot, file)]
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  return { status, output: stdout }
}

test('a file that passes is one line, and what it printed is left out', async () => {
  const { status, output } = await runFile("test('one', () => console.log('chatter')); test('two', () => {})")
  assert.equal(status, 0)
  assert.match(output, /^✓ \S*a\.test\.mjs \(2, \d+\.\d s\)\n/)
  assert.doesNotMatch(output, /chatter/)
})

test('the counts of several runs are added up in the closing lines', async () => {
  const { output } = await runFile("test('one', () => {}); test('two', { skip: 'no peer' }, () => {})")
  assert.match(output, /ℹ tests 4\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 2\nℹ todo 0\n/)
})

test('a failure is shown with its reason and with what the file printed', async () => {
  const { status, output } = await runFile(
    "test('one', () => { console.log('chatter'); throw new Error('reason') })",
  )
  assert.equal(status, 1)
  assert.match(output, /chatter/)
  assert.match(output, /✖ one/)
  assert.match(output, /Error: reason/)
})

test('a file that breaks before its first test fails the run and says why', async () => {
  const { status, output } = await runFile("throw new Error('broken at import')")
  assert.equal(status, 1)
  assert.match(output, /Error: broken at import/)
})

test('a skipped test is named with its reason', async () => {
  const { status, output } = await runFile("test('one', { skip: 'not installed: wrk' }, () => {})")
  assert.equal(status, 0)
  assert.match(output, /^- one \(skipped: not installed: wrk\)$/m)
})
