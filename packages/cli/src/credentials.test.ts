import assert from 'node:assert/strict'
import { chmod, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { asUnknownUser, cannotChangeRights } from '../test/run-masthead.ts'
import { serverForFile } from '../test/test-server.ts'
import { createWorkplace } from '../test/workplace.ts'

const server = serverForFile()
const nowhere = { HOME: undefined, XDG_CACHE_HOME: undefined, XDG_CONFIG_HOME: undefined }

test('a user without a home can run commands with a key', { skip: cannotChangeRights }, async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'hi' })
  await chmod(place.path, 0o777)
  const env = { ...place.signedIn, ...nowhere }
  const { exitCode, stdout, stderr } = await place.run('deploy site', { env, under: asUnknownUser })
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, `${server().site('site')}\n`)
})

test('paths that are not absolute are not used, and no key is stored in the current folder', async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'hi' })
  for (const unusable of [
    { HOME: '', XDG_CACHE_HOME: '', XDG_CONFIG_HOME: '' },
    { HOME: '', XDG_CACHE_HOME: '.cache', XDG_CONFIG_HOME: '.config' },
  ]) {
    const deployed = await place.run('deploy site', { env: { ...place.signedIn, ...unusable } })
    assert.equal(deployed.exitCode, 0, deployed.stderr)
    for (const args of ['login --with-key', 'login']) {
      const env = { ...place.signedOut, ...unusable }
      const { exitCode, stderr } = await place.run(args, { env, input: server().account.key })
      assert.equal(exitCode, 1)
      assert.match(stderr, /^There is no folder to store a key in: .*\nSet HOME or XDG_CONFIG_HOME/)
    }
    assert.deepEqual(await readdir(place.path), ['site'])
    assert.deepEqual(await readdir(join(place.path, 'site')), ['index.html'])
  }
  assert.equal(place.proxy.count('startLogin'), 0)
})

test('a home that is no folder is none: commands run with a key, and a sign-in says what to do', async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'hi', file: '' })
  const unusable = { HOME: join(place.path, 'file'), XDG_CACHE_HOME: undefined, XDG_CONFIG_HOME: undefined }
  const { exitCode, stderr } = await place.run('deploy site', { env: { ...place.signedIn, ...unusable } })
  assert.equal(exitCode, 0, stderr)
  const login = await place.run('login', { env: { ...place.signedOut, ...unusable } })
  assert.equal(login.exitCode, 1)
  assert.match(login.stderr, /credentials\.json cannot be changed \(ENOTDIR\)\./)
  assert.equal(place.proxy.count('startLogin'), 0)
})
