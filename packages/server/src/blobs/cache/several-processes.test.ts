import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { until } from '@masthead/testing/until.ts'
import type { BlobKey } from '../blob-store.ts'
import { openCache, sha256 } from './cache.test-kit.ts'

const program = fileURLToPath(new URL('cache-process.test-kit.ts', import.meta.url))

/** Processes with one cache before one store, whose fetches are counted in a file. */
async function startProcesses(count: number) {
  const cache = await openCache()
  const counted = join(cache.folder, 'fetches')
  await writeFile(counted, '')
  const start = async () => {
    const child = fork(program, [join(cache.folder, '..', 'origin'), cache.folder, counted])
    killOnExit(child)
    await once(child, 'message')
    return child
  }
  const children = await Promise.all(Array.from({ length: count }, start))
  return {
    ...cache,
    children,
    fetches: async () => (await readFile(counted, 'utf8')).split('\n').filter(Boolean).length,
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL')
      await cache[Symbol.asyncDispose]()
    },
  }
}

interface Order {
  keys: BlobKey[]
  times?: number
  /** How long the store takes for each half of a file. */
  delay?: number
}

/** The digests of what a process has read. */
async function readIn(child: ChildProcess, order: Order): Promise<string[]> {
  const answer = once(child, 'message')
  child.send(order)
  return (await answer)[0] as string[]
}

test('all processes of a machine fetch each file once', async () => {
  await using cache = await startProcesses(4)
  const contents = Array.from({ length: 40 }, (_, n) => randomBytes(1 + n * 10_000))
  const keys = await Promise.all(contents.map((content) => cache.put(content)))
  const answers = await Promise.all(
    cache.children.map((child) => readIn(child, { keys, times: 10, delay: 5 })),
  )
  const expected = contents.flatMap((content) => Array.from({ length: 10 }, () => sha256(content)))
  for (const answer of answers) assert.deepEqual(answer, expected)
  assert.equal(await cache.fetches(), keys.length)
  await until(async () => (await cache.work()).length === 0)
})

test('when a process is killed while it fetches, another takes over, and nothing incomplete is left', async () => {
  await using cache = await startProcesses(2)
  const [killed, other] = cache.children
  assert.ok(killed && other)
  const content = randomBytes(500_000)
  const key = await cache.put(content)
  readIn(killed, { keys: [key], delay: 3_600_000 }).catch(() => {})
  await until(async () => (await cache.work()).some((name) => name.endsWith('.part')))
  const waiting = readIn(other, { keys: [key], delay: 1 })
  killed.kill('SIGKILL')
  assert.deepEqual(await waiting, [sha256(content)])
  assert.equal(await cache.fetches(), 2)
  assert.equal((await cache.files()).length, 1)

  // What the dead process has left goes with the next start, once it is old.
  const left = await cache.work()
  assert.equal(left.length, 1)
  for (const name of left) await utimes(join(cache.folder, 'work', name), 0, 0)
  await cache.open()
  await until(async () => (await cache.work()).length === 0)
})

test('a lock left by a process that died long ago delays nobody', async () => {
  await using cache = await openCache()
  const key = await cache.put('content')
  const lock = join(cache.folder, 'work', `${key.accountId}-${key.sha256}.lock`)
  await writeFile(lock, '')
  await utimes(lock, 1, 1)
  assert.equal(String(await cache.store.read(key)), 'content')
  await until(async () => (await cache.work()).length === 0)
})
