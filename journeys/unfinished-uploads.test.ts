import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, stat, utimes } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarHeader } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { until } from '@masthead/testing/until.ts'

const fileBytes = 1024 ** 2

const stagingOf = ({ dataFolder }: MastheadProcess) => join(dataFolder, 'blobs', 'staging')

async function stagedBytes(masthead: MastheadProcess): Promise<number> {
  let bytes = 0
  for (const name of await readdir(stagingOf(masthead))) {
    const { size } = await stat(join(stagingOf(masthead), name)).catch(() => ({ size: 0 }))
    bytes += size
  }
  return bytes
}

/** Sends a tar of two files up to the middle of the second, and waits until some of that is on the disk. */
async function holdUpload(masthead: MastheadProcess) {
  const publisher = await createPublisher(masthead)
  await publisher.createProject('site')
  const upload = request(`${masthead.origin}/v1/projects/site/deployments`, {
    method: 'POST',
    agent: false,
    headers: { Authorization: `Bearer ${publisher.key}`, 'Content-Type': 'application/x-tar' },
  })
  upload.on('error', () => {})
  const status = once(upload, 'response').then(([response]: IncomingMessage[]) => response?.statusCode)
  status.catch(() => {})
  const half = randomBytes(fileBytes / 2)
  for (const name of ['a.bin', 'index.html']) {
    upload.write(tarHeader(name, fileBytes))
    upload.write(half)
    if (name === 'a.bin') upload.write(half)
  }
  await until(async () => (await stagedBytes(masthead)) > fileBytes)
  return {
    async finish() {
      upload.write(half)
      upload.end(Buffer.alloc(1024))
      return status
    },
  }
}

test('what an upload left in a server that was killed is gone once it has started again', async () => {
  await using masthead = await MastheadProcess.start()
  await holdUpload(masthead)
  await masthead.kill()
  const left = new Set(await readdir(stagingOf(masthead)))
  assert.notEqual(left.size, 0)
  // What cannot be removed does not keep it from starting, however old it is.
  const unremovable = join(stagingOf(masthead), 'no-file')
  await mkdir(unremovable)
  await utimes(unremovable, 0, 0)
  await masthead.restart()
  assert.deepEqual(left.intersection(new Set(await readdir(stagingOf(masthead)))), new Set())
})

test('an upload that is under way when the server is replaced is published', async () => {
  await using masthead = await MastheadProcess.start()
  const upload = await holdUpload(masthead)
  const replaced = masthead.replace()
  await until(
    async () => (await fetch(`${masthead.origin}/healthz`, { headers: { connection: 'close' } })).ok,
  )
  assert.equal(await upload.finish(), 201)
  assert.equal(await replaced, 0)
})
