import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { fillDisk, smallDisk } from '@masthead/testing/small-disk.ts'

test('on a full disk, sites, reads and deletes keep working, and uploads fail with a clear error', {
  skip: process.getuid?.() !== 0 && process.env.CI !== 'true' && 'only root can mount a small disk',
  timeout: 300_000,
}, async () => {
  await using disk = await smallDisk(96)
  await using masthead = await MastheadProcess.start({ dataFolder: disk.path })
  const publisher = await createPublisher(masthead)
  for (const slug of ['kept', 'deleted']) {
    await publisher.createProject(slug)
    await publisher.publishArchive(slug, tarGz({ 'index.html': slug }))
  }
  fillDisk(join(disk.path, 'filler'))

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
})
