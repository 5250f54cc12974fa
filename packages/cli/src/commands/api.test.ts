import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTerminal } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace } from '../../test/workplace.ts'

const server = serverForFile()
const workplace = (files: Record<string, string> = {}) => createWorkplace(server(), files)

test('fields are the query of a GET and the body of a PATCH, and the answer is JSON', async () => {
  await using place = await workplace()
  await place.addProject('site')
  await place.addProject('shop')
  const listed = await place.run('api GET /v1/projects limit=1 order=changed')
  assert.equal(listed.exitCode, 0, listed.stderr)
  assert.equal(JSON.parse(listed.stdout).items.length, 1)
  const changed = await place.run('api patch /v1/projects/site name=Our=site singlePage:=true')
  assert.deepEqual(
    [JSON.parse(changed.stdout).name, JSON.parse(changed.stdout).singlePage],
    ['Our=site', true],
  )
})

test('a body comes from standard input or a file, of any type', async () => {
  await using place = await workplace({ 'plan.json': '{ "plan": "pro" }' })
  const created = await place.run('api POST /v1/projects --input -', { input: '{ "slug": "piped" }' })
  assert.equal(JSON.parse(created.stdout).slug, 'piped')
  const planned = await place.run('api PUT /v1/account/plan --input plan.json --json')
  assert.equal(JSON.parse(planned.stdout).plan, 'pro')
  await place.client.changePlan({ body: { plan: 'business' } })
  const missing = await place.run('api PUT /v1/account/plan --input none.json')
  assert.deepEqual(
    [missing.exitCode, missing.stderr.split('\n')[0]],
    [2, 'none.json cannot be read (ENOENT).'],
  )
  const typed = await place.run(
    'api POST /v1/projects/piped/deployments --input plan.json --type application/zip',
  )
  assert.match(typed.stderr, /archive/)
})

test('refusals have the exit codes of other commands', async () => {
  await using place = await workplace()
  assert.equal((await place.run('api GET /v1/projects/none')).exitCode, 1)
  assert.equal((await place.run('api GET /v1/operator/health')).exitCode, 3)
  assert.match((await place.run('api POST /v1/projects slug=-x')).stderr, /^slug must start/)
  const { stdout } = await place.run('api GET /v1/ca.pem')
  assert.match(stdout, /^-----BEGIN CERTIFICATE-----\n/)
})

test('DELETE asks first', { skip: noTerminal }, async () => {
  await using place = await workplace()
  await place.addProject('site')
  const unasked = await place.run('api DELETE /v1/projects/site')
  assert.equal(unasked.exitCode, 2)
  assert.match(unasked.stderr, /Add --yes/)
  assert.equal((await place.atTerminal('api DELETE /v1/projects/site', { input: 'n\n' })).exitCode, 1)
  assert.equal(place.proxy.count('deleteProject'), 0)
  const deleted = await place.run('api DELETE /v1/projects/site --yes')
  assert.deepEqual([deleted.exitCode, deleted.stdout], [0, ''])
  assert.equal((await place.client.listProjects()).items.length, 0)
})

test('the key never leaves for another server, whatever the path looks like', async () => {
  await using place = await workplace()
  for (const path of [
    'https://evil.example/v1/x',
    '//evil.example/v1/x',
    '@evil.example/v1/x',
    '/v1/../../docs',
    '/v1/%2e%2e/docs',
    '/v2/projects',
    'v1/projects',
  ]) {
    const { exitCode } = await place.run(`api GET ${path}`)
    assert.equal(exitCode, 2, path)
  }
  assert.equal((await place.run('api FETCH /v1/projects')).exitCode, 2)
  assert.equal((await place.run('api GET /v1/stream')).exitCode, 2)
  assert.equal((await place.run('api POST /v1/projects slug')).exitCode, 2)
  assert.deepEqual(place.proxy.called, [])
})

test('a type that no header can have is wrong usage, not a server that is away', async () => {
  await using place = await workplace()
  const { exitCode, stderr } = await place.run('api POST /v1/projects --input - --type text/“plain”', {
    input: 'x',
  })
  assert.equal(exitCode, 2, stderr)
  assert.match(stderr, /^The request cannot be sent: a header has characters/)
})
