import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listFiles, repositoryRoot } from './repository.ts'
import { busy, longest, needsQuiet, ownProcess, queueTestFiles, waiting } from './test-queue.ts'

test('every file that the queue names exists', () => {
  const named = [...Object.keys(needsQuiet), ...Object.keys(ownProcess), ...busy, ...waiting, ...longest]
  assert.deepEqual(
    named.filter((path) => !existsSync(join(repositoryRoot, path))),
    [],
  )
})

test('files that need quiet come first, then the longest, the other journeys and the rest', () => {
  const [quiet = ''] = Object.keys(needsQuiet)
  const [first = '', second = ''] = longest
  const files = ['scripts/test-queue.test.ts', 'journeys/a.test.ts', second, first, quiet]
  assert.deepEqual(
    queueTestFiles(files, 2).map((group) => group.files),
    [[quiet], [first], [second], ['journeys/a.test.ts'], ['scripts/test-queue.test.ts']],
  )
})

const everyFile = listFiles(repositoryRoot, ['{packages,scripts,testing,bench,journeys}/**/*.test.{ts,tsx}'])

test('every file is in one group, whatever the number of cores', () => {
  for (const cores of [1, 2, 8, 64]) {
    const queued = queueTestFiles(everyFile, cores).flatMap(({ files }) => files)
    assert.deepEqual(queued.toSorted(), everyFile.toSorted())
  }
})

test('files of different packages never share a process, nor do journeys except through the dashboard', () => {
  for (const { files } of queueTestFiles(everyFile, 2)) {
    if (files.length === 1) continue
    assert.ok(!files.some((file) => file in ownProcess || file in needsQuiet), files.join(' '))
    const places = files.map(
      (file) => /^journeys\/dashboard-|^(?!journeys)[^/]+\/[^/]+/.exec(file)?.[0] ?? file,
    )
    assert.equal(new Set(places).size, 1, files.join(' '))
  }
})

test('a few files are spread over the cores', () => {
  const files = everyFile.filter((file) => file.startsWith('packages/contract/')).slice(0, 4)
  assert.deepEqual(
    queueTestFiles(files, 2).map((group) => group.files),
    files.map((file) => [file]),
  )
})
