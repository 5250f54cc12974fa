import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { until } from '@masthead/testing/until.ts'
import { followLog } from './read-log.ts'

test('while the disk refuses writes, sites and reads keep working, changes get 503, and the log has two lines', {
  skip: process.platform !== 'linux' && 'only Linux limits the files of a running process',
  timeout: 300_000,
}, async () => {
  await using masthead = await MastheadProcess.start()
  const publisher = await createPublisher(masthead)
  await publisher.createProject('kept')
  await publisher.publishArchive('kept', tarGz({ 'index.html': 'kept' }))
  const [pid] = await masthead.pids()
  // Its writes to files fail as on a broken disk, with an error of the system.
  const limitFiles = (bytes: string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
  const ask = async (route: string, init: RequestInit = {}) => {
    const [method = '', path = ''] = route.split(' ')
    const headers = { ...init.headers, authorization: `Bearer ${publisher.key}` }
    const answer = await fetch(`${masthead.origin}${path}`, { ...init, method, headers })
    return { status: answer.status, text: await answer.text() }
  }
  const create = (slug: string) =>
    ask('POST /v1/projects', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ slug, name: slug }),
    })
  const upload = () =>
    ask('POST /v1/projects/kept/deployments', {
      headers: { 'content-type': 'application/gzip' },
      body: tarGz({ 'index.html': 'x'.repeat(100_000) }),
    })
  const log = followLog(masthead)
  const lines = () => log().map(({ msg }) => msg)

  limitFiles('0')
  for (let round = 0; round < 20; round++) {
    for (const { status, text } of [await create(`refused-${round}`), await upload()]) {
      assert.equal(status, 503, text)
      assert.match(text, /"unavailable"/)
    }
  }
  assert.equal((await ask('GET /v1/projects')).status, 200)
  assert.equal((await visit(masthead, 'kept', '/')).body, 'kept')
  assert.equal((await ask('GET /readyz')).status, 503)
  assert.equal((await ask('GET /readyz/sites')).status, 200)
  await until(() => lines().length > 0)

  limitFiles('unlimited')
  await until(() => lines().length > 1)
  assert.equal((await ask('GET /readyz')).status, 200)
  assert.equal((await create('accepted')).status, 201)
  const [down = '', up = ''] = lines()
  assert.match(down, /^The disk of the database fails or is read-only/)
  assert.match(up, /^The database can be changed again/)
  assert.equal(lines().length, 2, lines().join('\n'))
})
