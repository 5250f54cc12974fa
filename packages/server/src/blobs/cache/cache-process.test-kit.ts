import { appendFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobKey } from '../blob-store.ts'
import { openOrigin, sha256 } from './cache.test-kit.ts'
import { createCachedStore } from './cached-store.ts'

/** One of several processes with the same cache, told by messages what to read. */
const [, , originFolder = '', folder = '', counted = ''] = process.argv
const origin = await openOrigin(originFolder)
const { fetch } = origin
let delay = 0
origin.fetch = async (key) => {
  await appendFile(counted, `${key.sha256}\n`)
  const remote = await fetch(key)
  return remote === null ? null : { ...remote, content: slowly(remote.content) }
}

async function* slowly(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of content) {
    await sleep(delay)
    yield chunk
  }
}

const store = await createCachedStore({
  origin,
  folder,
  maxBytes: 2 ** 30,
  log: { info: () => {}, warn: (details, message) => console.error(message, details) },
})
process.on('message', async (order: { keys: BlobKey[]; times?: number; delay?: number }) => {
  delay = order.delay ?? 0
  const reads = order.keys.flatMap((key) => Array.from({ length: order.times ?? 1 }, () => store.read(key)))
  process.send?.((await Promise.all(reads)).map((content) => sha256(content)))
})
process.send?.('ready')
