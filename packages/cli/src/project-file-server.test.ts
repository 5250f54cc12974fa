import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForFile } from '../test/test-server.ts'
import { createWorkplace } from '../test/workplace.ts'

const server = serverForFile()

/** A folder whose project file names the server, which nothing else does. */
async function clonedFolder() {
  const place = await createWorkplace(server(), { 'index.html': 'hi' })
  await place.write('masthead.json', JSON.stringify({ project: 'site', server: place.proxy.url }))
  return place
}

test('a key of the environment is not sent to a server that only the project file names', async () => {
  await using place = await clonedFolder()
  const { key } = server().account
  const env = { MASTHEAD_KEY: key }
  for (const args of ['deploy', 'whoami', 'api GET /v1/keys', 'webhooks listen', 'env --create-key ci']) {
    const { exitCode, stderr } = await place.run(args, { env })
    assert.equal(exitCode, 3, stderr)
    assert.ok(stderr.startsWith(`MASTHEAD_KEY was not sent to ${place.proxy.url}: only masthead.json names`))
    assert.ok(stderr.includes(`set MASTHEAD_SERVER=${place.proxy.url}, or add --server`), stderr)
    assert.ok(!stderr.includes(key), stderr)
  }
  const login = await place.run('login --with-key', { env: {}, input: key })
  assert.equal(login.exitCode, 3, login.stderr)
  assert.match(login.stderr, /^The key was not sent/)
  assert.equal((await place.run('completion suggest open ', { env })).exitCode, 0)
  assert.deepEqual(place.proxy.called, [])
})

test('the token of a pipeline is not sent there either, nor requested', async () => {
  await using place = await clonedFolder()
  // Nothing listens there, which would be reported.
  const runner = { ACTIONS_ID_TOKEN_REQUEST_URL: 'http://127.0.0.1:1', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x' }
  for (const env of [runner, { MASTHEAD_ID_TOKEN: 'token' }]) {
    const { exitCode, stderr } = await place.run('deploy', { env })
    assert.equal(exitCode, 3, stderr)
    assert.match(stderr, /^The ID token of this pipeline was not sent/)
  }
  assert.deepEqual(place.proxy.called, [])
})

test('a server that is chosen besides, or known from a sign-in, gets the key', async () => {
  await using place = await clonedFolder()
  const { url } = place.proxy
  const { key } = server().account
  const env = { MASTHEAD_KEY: key }
  for (const [args, more] of [
    ['deploy', { MASTHEAD_SERVER: url }],
    [`deploy --server ${url}`, {}],
  ] as const) {
    const { exitCode, stderr } = await place.run(args, { env: { ...env, ...more } })
    assert.equal(exitCode, 0, stderr)
  }
  const login = await place.run(`login ${url} --with-key`, { env: {}, input: key })
  assert.equal(login.exitCode, 0, login.stderr)
  const known = await place.run('deploy', { env })
  assert.equal(known.exitCode, 0, known.stderr)
})
