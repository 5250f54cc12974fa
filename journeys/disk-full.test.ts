import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess, withErrorsInOutput } from '@masthead/testing/masthead-process.ts'
import { fillDisk, smallDisk } from '@masthead/testing/small-disk.ts'
import { until } from '@masthead/testing/until.ts'
import { readMetrics } from './read-metrics.ts'

const needsRoot = process.getuid?.() !== 0 && process.env.CI !== 'true' && 'only root can mount a small disk'

test('on a full disk, sites, reads and deletes keep working, uploads fail clearly, and the log goes on later', {
  skip: needsRoot,
  timeout: 300_000,
}, async (t) => {
  await using disk = await smallDisk(96)
  const logFile = join(disk.path, 'masthead.log')
  const outputTo = openSync(logFile, 'a')
  t.after(() => closeSync(outputTo))
  await using masthead = await MastheadProcess.start({
    dataFolder: disk.path,
    outputTo,
    under: withErrorsInOutput,
  })
  const publisher = await createPublisher(masthead)
  for (const slug of ['kept', 'deleted']) {
    await publisher.createProject(slug)
    await publisher.publishArchive(slug, tarGz({ 'index.html': slug }))
  }
  const freeBytes = async () => (await readMetrics(masthead)).sum('masthead_data_free_bytes')
  const freeBefore = await freeBytes()
  assert.ok(freeBefore > 2 ** 20 && freeBefore < 96 * 2 ** 20, String(freeBefore))
  fillDisk(join(disk.path, 'filler'))
  assert.ok((await freeBytes()) < 2 ** 20)

  const ask = async (route: string, init: RequestInit = {}) => {
    const [method = '', path = ''] = route.split(' ')
    const headers = { ...init.headers, authorization: `Bearer ${publisher.key}` }
    return (await fetch(`${masthead.origin}${path}`, { ...init, method, headers })).status
  }
  const upload = () =>
    ask('POST /v1/projects/kept/deployments', {
      headers: { 'content-type': 'application/gzip' },
      body: tarGz({ 'index.html': 'x'.repeat(100_000) }),
    })
  assert.equal((await visit(masthead, 'kept', '/')).body, 'kept')
  assert.equal(await upload(), 503)
  for (let round = 0; round < 20; round++) assert.equal(await ask('GET /v1/projects'), 200)
  assert.equal(await ask('DELETE /v1/projects/deleted'), 204)
  assert.equal(await ask('GET /v1/projects/deleted'), 404)
  assert.equal((await visit(masthead, 'kept', '/')).body, 'kept')

  // More than fits into the last block of the log.
  for (let round = 0; round < 7; round++) assert.equal(await upload(), 503)
  const failed = async () => (await readFile(logFile, 'utf8')).split('"a request failed"').length - 1
  assert.ok((await failed()) < 8)
  await rm(join(disk.path, 'filler'))
  await until(async () => (await failed()) === 8)
  masthead.signal('SIGTERM')
  assert.equal(await masthead.ended(), 0)
})

test('uploads of one account leave some of the disk to the others, however they arrive', {
  skip: needsRoot,
  timeout: 300_000,
}, async () => {
  await using disk = await smallDisk(96)
  await using masthead = await MastheadProcess.start({ dataFolder: disk.path })
  const publisher = await createPublisher(masthead)
  await publisher.createProject('large')
  const send = async (route: string, type: string, body: string | Uint8Array<ArrayBuffer>) => {
    const [method = '', path = ''] = route.split(' ')
    const headers = { 'content-type': type, authorization: `Bearer ${publisher.key}` }
    return fetch(`${masthead.origin}${path}`, { method, headers, body })
  }
  const deployments = '/v1/projects/large/deployments'
  const late = randomBytes(30_000)
  const sha256 = createHash('sha256').update(late).digest('hex')
  const listed = await send(
    `POST ${deployments}`,
    'application/json',
    JSON.stringify({ files: { '/late.bin': { sha256, size: late.length } } }),
  )
  assert.equal(listed.status, 201)
  const { id } = (await listed.json()) as { id: string }

  const manyFiles = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, number) => [`/${'a'.repeat(100)}/${number}`, { sha256, size: 1 }]),
  )

  // Every size until it is refused, as the rest of a disk is taken by the smallest files.
  for (const size of [2 ** 24, 2 ** 20, 2 ** 17, 2 ** 14]) {
    for (;;) {
      const files = { 'index.html': randomBytes(size / 2).toString('hex') }
      const { status } = await send(`POST ${deployments}`, 'application/gzip', tarGz(files))
      if (status === 503) break
      assert.equal(status, 201)
    }
  }
  // What the server frees meanwhile is not enough for the rest.
  await writeFile(join(disk.path, 'filler'), Buffer.alloc(2 ** 20))
  const refused = await Promise.all([
    send(`POST ${deployments}`, 'application/json', JSON.stringify({ files: manyFiles })),
    send(`POST ${deployments}`, 'application/zip', new Uint8Array(randomBytes(2 ** 22))),
    send(`PUT ${deployments}/${id}/files/${sha256}`, 'application/octet-stream', new Uint8Array(late)),
  ])
  for (const answer of refused) {
    const { code, detail } = (await answer.json()) as { code: string; detail: string }
    assert.deepEqual([answer.status, code], [503, 'unavailable'])
    assert.match(detail, /^The server has no disk space left for this\./)
  }
  const { bavail, bsize } = await statfs(disk.path)
  assert.ok(bavail * bsize > 2 * 2 ** 20, String(bavail * bsize))

  const other = await createPublisher(masthead)
  for (let number = 0; number < 30; number++) await other.createProject(`other-${number}`)
})

test('many small files of one account leave room for the files of others', {
  skip: needsRoot,
  timeout: 300_000,
}, async () => {
  const files = 10_000
  await using disk = await smallDisk(512, files)
  await using masthead = await MastheadProcess.start({ dataFolder: disk.path })
  const publisher = await createPublisher(masthead)
  await publisher.createProject('many')
  let published = 0
  const publish = (count: number) => {
    const names = Array.from({ length: count }, () => `${published++}`)
    return publisher.publishArchive('many', tarGz(Object.fromEntries(names.map((name) => [name, name]))))
  }
  for (const count of [1_000, 100, 10, 1]) {
    const untilRefused = async () => {
      while (published < files * 2) await publish(count)
    }
    await assert.rejects(untilRefused, /: 503 .*no disk space left/)
  }
  const { ffree } = await statfs(disk.path)
  assert.ok(ffree > files / 25, String(ffree))
})
