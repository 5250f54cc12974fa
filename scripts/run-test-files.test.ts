import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { repositoryRoot } from './repository.ts'

const program = `
import { runTestFiles } from ${JSON.stringify(import.meta.resolve('./run-test-files.ts'))}
import { printSummary } from ${JSON.stringify(import.meta.resolve('./test-group/totals.ts'))}
import { setTimeout } from 'node:timers/promises'
const { queue, longestFileMs, besideMs } = JSON.parse(process.argv[2])
const ended = besideMs && setTimeout(besideMs).then(() => console.log('the checks have ended'))
const totals = await runTestFiles(queue, {
  cores: 2, signal: new AbortController().signal, longestFileMs, ...(besideMs && { beside: { load: 150, ended } }),
})
printSummary(totals)
process.exitCode = totals.success ? 0 : 1`

interface Options {
  load?: number
  /** So many of the first ones need quiet, and more than half of the machine; all of them otherwise. */
  quiet?: number
  /** All files in one process. */
  grouped?: boolean
  longestFileMs?: number
  /** How long something takes that uses three quarters of the machine. */
  besideMs?: number
}

/** Runs test files as `npm test` would, in another process, as a test cannot run tests. */
async function runFiles(
  sources: string[],
  { load = 100, quiet, grouped = false, longestFileMs = 60_000, besideMs = 0 }: Options = {},
): Promise<{ status: number | null; output: string }> {
  await using folder = await temporaryFolder()
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const runner = join(folder.path, 'runner.mjs')
  await writeFile(runner, program)
  const paths = sources.map((_source, index) =>
    join(folder.path, `${String.fromCharCode(97 + index)}.test.mjs`),
  )
  for (const [index, path] of paths.entries()) {
    await writeFile(path, `import test, { after, afterEach, before } from 'node:test'\n${sources[index]}`)
  }
  const files = paths.map((path) => relative(repositoryRoot, path))
  const queue = (grouped ? [files] : files.map((file) => [file])).map((group, index) => ({
    files: group,
    load: index < (quiet ?? 0) ? 110 : load,
    needsQuiet: index < (quiet ?? Number.POSITIVE_INFINITY),
  }))
  const args = [runner, JSON.stringify({ queue, longestFileMs, besideMs })]
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  return { status, output: stdout }
}

const runGroup = (sources: string[], longestFileMs?: number) =>
  runFiles(sources, { grouped: true, ...(longestFileMs !== undefined && { longestFileMs }) })

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

test('what failed is told at once with what was printed, and once more at the end', async () => {
  const { output } = await runFiles([
    "test('two', () => { console.log('chatter'); throw new Error('reason') })",
  ])
  const [before = '', after = ''] = output.split(/^ℹ .*$/m).filter((part) => part.trim() !== '')
  assert.match(before, /chatter.*Error: reason/s)
  assert.match(after, /Error: reason/)
  assert.doesNotMatch(after, /chatter/)
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

test('what runs already takes its share of the cores until it has ended', async () => {
  const source = "test('one', () => {})"
  const after = await runFiles([source], { load: 100, besideMs: 1_000 })
  assert.match(after.output, /^the checks have ended\n✓ \S*a\.test\.mjs/)
  const beside = await runFiles([source], { load: 50, besideMs: 10_000 })
  assert.match(beside.output, /^✓ \S*a\.test\.mjs .*\nthe checks have ended/)
})

test('files that need quiet run one by one where two have more load than the machine', async () => {
  const { status, output } = await runFiles([findsNobody, findsNobody, findsNobody], { load: 135 })
  assert.equal(status, 0, output)
})

test('while one needs quiet and others wait for that too, the rest goes on beside it', async () => {
  const others = 14
  const untilOthersEnded = `
    import { existsSync } from 'node:fs'
    import { setTimeout as sleep } from 'node:timers/promises'
    test('waits', { timeout: 30_000 }, async (t) => {
      while (!existsSync(new URL('./ended-${others - 1}', import.meta.url))) await sleep(20, undefined, t)
    })`
  const ends = (index: number) => `
    import { writeFileSync } from 'node:fs'
    test('ends', () => writeFileSync(new URL('./ended-${index}', import.meta.url), ''))`
  const sources = [
    untilOthersEnded,
    "test('one', () => {})",
    ...Array.from({ length: others }, (_, n) => ends(n)),
  ]
  const { status, output } = await runFiles(sources, { quiet: 2, load: 90 })
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

const passes = "test('one', () => {})"

test('files of a group run in one process, each with a line and counts of its own', async () => {
  const remembers =
    "globalThis.loaded = [...globalThis.loaded ?? [], import.meta.filename]; test('one', () => {})"
  const counts = `${remembers}; test('two', (t) => t.assert.equal(globalThis.loaded.length, 2))`
  const { status, output } = await runGroup([remembers, counts])
  assert.equal(status, 0, output)
  assert.match(output, /^✓ \S*a\.test\.mjs \(1, \d+\.\d s\)\n✓ \S*b\.test\.mjs \(2, \d+\.\d s\)\n/)
  assert.match(output, /ℹ tests 3\nℹ suites 0\nℹ pass 3\nℹ fail 0\n/)
})

test('hooks of a file run around its own tests only, and before those of the next file', async () => {
  const hooked = (name: string) => `
    const log = (globalThis.log ??= [])
    before(() => log.push('${name} before'))
    afterEach(() => log.push('${name} each'))
    after(() => log.push('${name} after'))
    test('${name} one', () => log.push('${name} one'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    test('${name} two', async (t) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      log.push('${name} two')
    })`
  const order = ['before', 'one', 'each', 'two', 'each', 'after']
  const expected = ['a', 'b'].flatMap((name) => order.map((step) => `${name} ${step}`))
  const checks = `test('order', (t) => t.assert.deepEqual(globalThis.log, ${JSON.stringify(expected)}))`
  const { status, output } = await runGroup([hooked('a'), hooked('b'), checks])
  assert.equal(status, 0, output)
  assert.match(output, /ℹ tests 5\n/)
})

test('a failure in a group is that of its file, with what only this file printed', async () => {
  const { status, output } = await runGroup([
    "test('one', () => console.log('first chatter'))",
    "test('two', () => { console.log('second chatter'); console.error('aside'); throw new Error('reason') })",
    "test('three', () => console.log('third chatter'))",
  ])
  assert.equal(status, 1)
  assert.match(output, /✓ \S*a\.test\.mjs .*\n✗ \S*b\.test\.mjs .*\n✓ \S*c\.test\.mjs /)
  assert.match(output, /second chatter\n/)
  assert.match(output, /aside\n/)
  assert.match(output, /^✖ two/m)
  assert.match(output, /Error: reason/)
  assert.doesNotMatch(output, /first chatter|third chatter|<<</)
  assert.match(output, /ℹ tests 3\nℹ suites 0\nℹ pass 2\nℹ fail 1\n/)
})

test('a file of a group that breaks before its first test fails, and the others still run', async () => {
  const { status, output } = await runGroup([passes, "throw new Error('broken at import')", passes])
  assert.equal(status, 1)
  assert.match(output, /✗ \S*b\.test\.mjs /)
  assert.match(output, /Error: broken at import/)
  assert.match(output, /ℹ tests 3\nℹ suites 0\nℹ pass 2\nℹ fail 1\n/)
})

test('a failing hook fails its file', async () => {
  const { status, output } = await runGroup([`${passes}; after(() => { throw new Error('no end') })`, passes])
  assert.equal(status, 1)
  assert.match(output, /✗ \S*a\.test\.mjs .*\n✓ \S*b\.test\.mjs /)
  assert.match(output, /Error: no end/)
})

test('a file that ends its process fails alone; the files before and after it count once', async () => {
  const { status, output } = await runGroup([passes, "test('exits', () => process.exit(0))", passes])
  assert.equal(status, 1)
  assert.match(output, /✗ \S*b\.test\.mjs /)
  assert.equal(output.match(/✓ \S*[ac]\.test\.mjs /g)?.length, 2)
  assert.match(output, /ℹ tests 3\nℹ suites 0\nℹ pass 2\nℹ fail 1\n/)
})

for (const [kind, source] of Object.entries({
  'waits for ever': "test('hangs', () => new Promise(() => setInterval(() => {}, 1000)))",
  'never leaves its turn': "test('hangs', () => { for (;;); })",
})) {
  test(`a file that ${kind} is named and fails alone`, async () => {
    const { status, output } = await runGroup([passes, source, passes], 15_000)
    assert.equal(status, 1)
    assert.match(output, /b\.test\.mjs did not end in time\./)
    assert.match(output, /✗ \S*b\.test\.mjs /)
    assert.equal(output.match(/✓ \S*[ac]\.test\.mjs /g)?.length, 2)
  })
}

test('a group that leaves something open fails and is named', async () => {
  const { status, output } = await runGroup([`${passes}; setInterval(() => {}, 1000)`, passes], 15_000)
  assert.equal(status, 1)
  assert.match(output, /✗ the process of \S*a\.test\.mjs \S*b\.test\.mjs\nSomething is still open\./)
})

for (const [kind, source] of Object.entries({
  'an uncaught error': "setTimeout(() => { throw new Error('reason') })",
  'an unhandled rejection': "Promise.reject(new Error('reason'))",
})) {
  test(`${kind} fails the test that caused it, at once and alone`, async () => {
    const { status, output } = await runGroup([
      `import { describe } from 'node:test'
      test('before', () => {})
      describe('a suite', () => {
        test('careless', async () => { ${source}; await new Promise(() => setInterval(() => {}, 1000).unref()) })
        test('beside it', () => {})
      })
      test('behind', () => {})`,
      passes,
    ])
    assert.equal(status, 1, output)
    assert.match(output, /✖ careless/)
    assert.match(output, /Error: reason/)
    assert.match(output, /ℹ tests 5\nℹ suites 1\nℹ pass 4\nℹ fail 1\n/)
  })
}

test('an error after the test that caused it fails the group and names the test', async () => {
  const late = "test('leaves a timer', () => void setTimeout(() => { throw new Error('late') }, 300))"
  const { status, output } = await runGroup([late, passes])
  assert.equal(status, 1)
  assert.match(output, /✗ the process of /)
  assert.match(output, /leaves a timer/)
  assert.match(output, /late/)
})

for (const [what, change] of Object.entries({
  LEFT_BEHIND: "process.env.LEFT_BEHIND = 'a secret'",
  'the folder': "process.chdir('/')",
  'the umask': 'process.umask(0o001)',
})) {
  test(`a file that leaves ${what} changed fails, and no value is printed`, async () => {
    const { status, output } = await runGroup([`test('one', () => void (${change}))`])
    assert.equal(status, 1)
    assert.match(output, new RegExp(`\\+ +'${what}'`))
    assert.doesNotMatch(output, /a secret/)
  })
}
