import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { createGzip } from 'node:zlib'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarHeader } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'

const MB = 1_000_000
const fileBytes = 50 * MB
const files = 10

/** A tar of random files, generated while it is read, so that neither side ever holds all of it. */
async function* tar(): AsyncGenerator<Buffer> {
  for (let file = 0; file < files; file++) {
    yield tarHeader(`video-${file}.bin`, fileBytes)
    for (let sent = 0; sent < fileBytes; sent += MB) yield randomBytes(MB)
    yield Buffer.alloc((512 - (fileBytes % 512)) % 512)
  }
  yield Buffer.alloc(1024)
}

test('a 500 MB archive raises the memory of the server by less than 100 MB', async (t) => {
  await using masthead = await MastheadProcess.start()
  const publisher = await createPublisher(masthead)
  await publisher.createProject('videos')
  const before = await masthead.peakRss()

  const archive = Readable.from(tar()).pipe(createGzip({ level: 0, chunkSize: MB }))
  const deployment = await publisher.publishArchive('videos', Readable.toWeb(archive))
  assert.equal(deployment.files, files)
  assert.equal(deployment.bytes, files * fileBytes)

  const raised = (await masthead.peakRss()) - before
  t.diagnostic(`raised by ${Math.round(raised / MB)} MB`)
  assert.ok(raised < 100 * MB, `raised by ${raised} bytes`)
})
