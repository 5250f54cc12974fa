import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repositoryRoot } from './repository.ts'
import { busy, longest, queueTestFiles, runAlone, waiting } from './test-queue.ts'

test('every file that the queue names exists', () => {
  const named = [...Object.keys(runAlone), ...busy, ...waiting, ...longest]
  assert.deepEqual(
    named.filter((path) => !existsSync(join(repositoryRoot, path))),
    [],
  )
})

test('files that run alone come first, then the longest, the other journeys and the rest', () => {
  const [alone = ''] = Object.keys(runAlone)
  const [first = '', second = ''] = longest
  const files = ['bench/a.test.ts', 'journeys/a.test.ts', second, first, alone]
  assert.deepEqual(
    queueTestFiles(files).map(({ path }) => path),
    [alone, first, second, 'journeys/a.test.ts', 'bench/a.test.ts'],
  )
})
