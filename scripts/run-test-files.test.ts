import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { repositoryRoot } from './repository.ts'

const program = `
import { printSummary, runTestFiles } from ${JSON.stringify(import.meta.resolve('./run-test-files.ts'))}
const [load, ...paths] = process.argv.slice(2)
const queue = paths.map((path) => ({ path, load: Number(load) }))
const totals = await runTestFiles(queue, { cores: 2, signal: new AbortController().signal })
printSummary(totals)
process.exitCode = totals.success ? 0 : 1`

/** Runs test files as `npm test` would, in another process, as a test cannot run tests. */
async function runFiles(sources: string[], load = 100): Promise<{ status: number | null; output: string }> {
  await using folder = await temporaryFolder()
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const runner = join(folder.path, 'runner.mjs')
  await writeFile(runner, program)
  const files = sources.map((_source, index) => join(folder.path, `${'abcd'[index]}.test.mjs`))
  for (const [index, file] of files.entries()) {
    await writeFile(file, `import test from 'node:test'\n${sources[index]}`)
  }
  const args = [runner, String(load), ...files.map((file) => relative(repositoryRoot, file))]
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  return { status, output: stdout }
}

test('a file that passes is one line, and what it printed is left out', async () => {
  const { status, output } = await runFiles([
    "test('one', () => console.log('chatter')); test('two', () => {})",
  ])
  assert.equal(status, 0)
  assert.match(output, /^✓ \S*a\.test\.mjs \(2, \d+\.\d s\)\n/)
  assert.doesNotMatch(output, /chatter/)
})

test('the counts of all files are added up in the closing lines', async () => {
  const source = "test('one', () => {}); test('two', { skip: 'no peer' }, () => {})"
  const { output } = await runFiles([source, source])
  assert.match(output, /ℹ tests 4\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 2\nℹ todo 0\n/)
})

test('a file that fails among others fails the run, and the others still run', async () => {
  const passes = "test('one', () => {})"
  const { status, output } = await runFiles([
    passes,
    "test('two', () => { throw new Error('reason') })",
    passes,
  ])
  assert.equal(status, 1)
  assert.match(output, /✗ \S*b\.test\.mjs \(1, /)
  assert.match(output, /ℹ tests 3\nℹ suites 0\nℹ pass 2\nℹ fail 1\n/)
})

/** Waits for the other file's mark, with which it shows that it runs too. */
const meets = (own: string, other: string) => `
  import { existsSync, writeFileSync } from 'node:fs'
  test('meets the other', async () => {
    writeFileSync(new URL('./${own}', import.meta.url), '')
    while (!existsSync(new URL('./${other}', import.meta.url))) await new Promise(setImmediate)
  })`

test('files run side by side where the cores have room', async () => {
  const { status, output } = await runFiles([meets('one', 'two'), meets('two', 'one')])
  assert.equal(status, 0, output)
})

const findsNobody = `
  import { existsSync, rmSync, writeFileSync } from 'node:fs'
  import { setTimeout as sleep } from 'node:timers/promises'
  test('finds nobody', async () => {
    const mark = new URL('./running', import.meta.url)
    if (existsSync(mark)) throw new Error('another one runs')
    writeFileSync(mark, '')
    await sleep(300)
    rmSync(mark)
  })`

test('files with the load of the whole machine run one by one', async () => {
  const { status, output } = await runFiles([findsNobody, findsNobody, findsNobody], Infinity)
  assert.equal(status, 0, output)
})

test('a failure is shown with its reason and with what the file printed', async () => {
  const { status, output } = await runFiles([
    "test('one', () => { console.log('chatter'); throw new Error('reason') })",
  ])
  assert.equal(status, 1)
  assert.match(output, /chatter/)
  assert.match(output, /✖ one/)
  assert.match(output, /Error: reason/)
})

test('a file that breaks before its first test fails the run and says why', async () => {
  const { status, output } = await runFiles(["throw new Error('broken at import')"])
  assert.equal(status, 1)
  assert.match(output, /Error: broken at import/)
})

test('a skipped test is named with its reason', async () => {
  const { status, output } = await runFiles(["test('one', { skip: 'not installed: wrk' }, () => {})"])
  assert.equal(status, 0)
  assert.match(output, /^- one \(skipped: not installed: wrk\)$/m)
})
