import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { FairQueue } from '../../kernel/fair-queue.ts'
import { openBody } from '../assets/body.ts'
import { ContentCache } from '../assets/content-cache.ts'
import { pieceSize } from '../assets/pieces.ts'
import { ResponseCounts } from '../response-counts.ts'
import { createReplySender, type ReplyWriter } from './send-reply.ts'

/** Reads nothing until the test says so, and then everything. */
class SlowClient extends Writable {
  headersSent = false
  readonly taken: Buffer[] = []
  #isTaking = false
  #waiting: (() => void) | null = null

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const take = () => {
      this.taken.push(chunk)
      done()
    }
    if (this.#isTaking) take()
    else this.#waiting = take
  }

  takeAll(): void {
    this.#isTaking = true
    this.#waiting?.()
  }
}

const writer: ReplyWriter<SlowClient> = {
  writeHead(out) {
    out.headersSent = true
  },
  writeWhole(out, _reply, content) {
    out.end(content)
  },
  whenReady: (_out, next) => next(),
  addressOf: () => '127.0.0.1',
}

function openWire() {
  const blobs = {
    read: () => Promise.reject(new Error('nothing is read')),
    openFile: () => assert.fail('nothing is opened'),
  }
  const bodies = { blobs, contents: new ContentCache(blobs), openFiles: new FairQueue({ size: 10 }) }
  return createReplySender({
    answers: { openBody: (body, caller) => openBody(body, caller, bodies), responses: new ResponseCounts() },
    isProxy: () => false,
    log: { error: () => {} },
    writer,
  })
}

for (const length of [1, pieceSize, pieceSize + 1, 2 * pieceSize, 500_000]) {
  test(`of ${length} bytes in memory a client that takes none is given one piece, and in the end all`, async () => {
    const content = randomBytes(length)
    const out = new SlowClient()
    openWire()(out, { status: 200, headers: [], body: { kind: 'bytes', bytes: content } })
    assert.equal(out.writableLength, Math.min(length, pieceSize))
    out.takeAll()
    await once(out, 'finish')
    assert.ok(Buffer.concat(out.taken).equals(content))
  })
}

test('nothing more is written to a client that leaves', async () => {
  const out = new SlowClient()
  openWire()(out, { status: 200, headers: [], body: { kind: 'bytes', bytes: randomBytes(500_000) } })
  out.destroy()
  await once(out, 'close')
  assert.equal(out.taken.length, 0)
})
