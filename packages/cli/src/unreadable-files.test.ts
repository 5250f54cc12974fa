import assert from 'node:assert/strict'
import { chmod, chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { cannotChangeRights, otherUser, withoutPrivileges } from '../test/run-masthead.ts'
import { serverForFile } from '../test/test-server.ts'
import { createWorkplace } from '../test/workplace.ts'

const server = serverForFile()

/** A folder in which the command line runs as a user for whom permissions count. */
async function guardedFolder(files: Record<string, string>) {
  const place = await createWorkplace(server(), files)
  const run = (args: string, more: { env?: Record<string, string>; input?: string } = {}) =>
    place.run(args, { under: withoutPrivileges, ...more })
  return Object.assign(place, { runGuarded: run, at: (path: string) => join(place.path, path) })
}

describe('what the user may not read or write is named', { skip: cannotChangeRights }, () => {
  test('a folder inside the published one', async () => {
    await using place = await guardedFolder({ 'site/index.html': 'hi', 'site/secret/a.html': 'a' })
    await chmod(place.at('site/secret'), 0)
    const { exitCode, stderr } = await place.runGuarded('deploy site')
    assert.equal(exitCode, 1)
    assert.equal(stderr, 'The folder secret cannot be read (EACCES).\nCheck its permissions.\n')
  })

  test('the project file', async () => {
    await using place = await guardedFolder({ 'masthead.json': '{}', 'index.html': 'hi' })
    await chmod(place.at('masthead.json'), 0)
    const { exitCode, stderr } = await place.runGuarded('deploy')
    assert.equal(exitCode, 1)
    assert.equal(stderr, 'masthead.json cannot be read (EACCES).\nCheck its permissions.\n')
  })

  test('a folder in which init cannot write, before a project is created', async () => {
    await using place = await guardedFolder({})
    await chmod(place.path, 0o500)
    const { exitCode, stderr } = await place.runGuarded('init my-site')
    assert.equal(exitCode, 1)
    assert.match(
      stderr,
      /masthead\.json cannot be written \(EACCES\)\.\nCheck the permissions of the folder\.\n$/,
    )
    assert.equal(place.proxy.count('createProject'), 0)
  })

  test('stored keys in a folder of somebody else, before a key is created', async () => {
    const { key } = server().account
    await using place = await guardedFolder({})
    const env = place.signedOut
    await mkdir(place.at('.config/masthead'), { recursive: true })
    await chown(place.at('.config/masthead'), otherUser, otherUser)
    const stored = JSON.stringify({ servers: { [place.proxy.url]: { key } } })
    for (const [args, text] of [
      ['login', null],
      ['login --with-key', null],
      ['logout', stored],
    ] as const) {
      if (text !== null) await writeFile(place.at('.config/masthead/credentials.json'), text)
      const { exitCode, stderr } = await place.runGuarded(args, { env, input: key })
      assert.equal(exitCode, 1)
      assert.match(stderr, /credentials\.json cannot be changed \(EPERM\)\.\nIts folder must belong to you\./)
    }
    assert.equal(place.proxy.count('startLogin'), 0)
    await chown(place.at('.config/masthead/credentials.json'), otherUser, otherUser)
    await chmod(place.at('.config/masthead/credentials.json'), 0o600)
    const { exitCode, stderr } = await place.runGuarded('whoami', { env })
    assert.equal(exitCode, 1)
    assert.match(stderr, /cannot be read\.\nThe file and its folder must belong to you\./)
  })
})

test('a full disk leaves the settings of the project file', {
  skip: process.platform === 'linux' ? false : 'needs `prlimit` of util-linux',
}, async () => {
  const before = JSON.stringify({ project: 'before', redirects: [{ from: '/a', to: '/b' }] })
  await using place = await createWorkplace(server(), { 'masthead.json': before })
  await place.addProject('after')
  const full = await place.run('link after --yes', { under: ['prlimit', '--fsize=10'] })
  assert.equal(full.exitCode, 1)
  assert.match(full.stderr, /masthead\.json cannot be written \(EFBIG\)\.\nFree some space/)
  assert.equal(await readFile(join(place.path, 'masthead.json'), 'utf8'), before)
  const login = await place.run('login --with-key', {
    under: ['prlimit', '--fsize=10'],
    input: server().account.key,
  })
  assert.equal(login.exitCode, 1)
  assert.match(login.stderr, /credentials\.json cannot be changed \(EFBIG\)\.\nFree some space/)
  await rm(join(place.path, '.config'), { recursive: true })
  assert.equal((await place.run('link after --yes')).exitCode, 0)
  assert.match(await readFile(join(place.path, 'masthead.json'), 'utf8'), /"after"/)
  assert.deepEqual(await readdir(place.path), ['masthead.json'])
})

test('stored keys that cannot be read are no obstacle to a command that needs none of them', async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'hi' })
  await place.write('.config/masthead/credentials.json', '{"servers"')
  for (const line of ['deploy site', 'ca', 'rules check site']) {
    const { exitCode, stderr } = await place.run(line)
    assert.equal(exitCode, 0, stderr)
  }
  // The server to use, or the key, would be in there.
  const { MASTHEAD_KEY, MASTHEAD_SERVER } = place.signedIn
  for (const env of [{ MASTHEAD_KEY }, { MASTHEAD_SERVER }]) {
    const { exitCode, stderr } = await place.run('deploy site', { env })
    assert.equal(exitCode, 1)
    assert.match(stderr, /^The stored keys in \S+credentials\.json cannot be read\.\n/)
  }
})

test('a folder with the name of the project file is named', async () => {
  await using place = await createWorkplace(server(), { 'masthead.json/index.html': 'hi' })
  const { exitCode, stderr } = await place.run('deploy')
  assert.equal(exitCode, 2)
  assert.equal(stderr, 'masthead.json is a folder, not a file.\nGive it another name.\n')
})

test('a file whose name is not UTF-8 is named', { skip: process.platform !== 'linux' }, async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'hi' })
  const name = Buffer.concat([
    Buffer.from(`${place.path}/site/caf`),
    Buffer.from([0xe9]),
    Buffer.from('.html'),
  ])
  await writeFile(name, 'latin 1')
  const { exitCode, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 1)
  assert.equal(stderr, 'The name of caf\uFFFD.html is not written in UTF-8, as addresses are.\nRename it.\n')
})
