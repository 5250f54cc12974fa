/** A process for several test files, one after the other: what they import is loaded once. */

import '@masthead/testing/after-all-files.ts'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { repositoryRoot } from '../repository.ts'
import { endOfFile, startOfFile } from './marks.ts'

for (const file of process.argv.slice(2)) {
  test(file, async (t) => {
    for (const output of [process.stdout, process.stderr]) output.write(startOfFile(file))
    const before = processState()
    // Timers that fell due during a long synchronous test run now, and not in the middle of the next file.
    await setTimeout()
    await import(pathToFileURL(join(repositoryRoot, file)).href)
    // Tests of a file run one by one: this mark's turn comes when all others have ended. It is no test, and is skipped
    // because the hooks of the file would run around it otherwise.
    await t.test(endOfFile, { skip: true })
    assert.deepEqual(
      changes(before, processState()),
      [],
      'This would be found by the next file in this process.',
    )
  })
}

/** What a file could change for those that run after it. */
function processState(): Record<string, unknown> {
  return { ...process.env, 'the folder': process.cwd(), 'the umask': process.umask() }
}

/** By name only, as a value may be secret. */
function changes(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  return Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name])
}
