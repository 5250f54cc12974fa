import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess, withErrorsInOutput } from '@masthead/testing/masthead-process.ts'
import { fillDisk, smallDisk } from '@masthead/testing/small-disk.ts'
import { until } from '@masthead/testing/until.ts'
import { readMetrics } from './read-metrics.ts'

test('on a full disk, sites, reads and deletes keep working, uploads fail clearly, and the log goes on later', {
  skip: process.getuid?.() !== 0 && process.env.CI !== 'true' && 'only root can mount a small disk',
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
