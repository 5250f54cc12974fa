import assert from 'node:assert/strict'
import { chmod, readFile, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { approveLogins } from '../../../test/approve-logins.ts'
import { noTerminal } from '../../../test/run-masthead.ts'
import { serverForFile } from '../../../test/test-server.ts'
import { createWorkplace } from '../../../test/workplace.ts'

const server = serverForFile()
const workplace = (files: Record<string, string> = {}) => createWorkplace(server(), files)

const stored = '.config/masthead/credentials.json'
const keyName = `masthead on ${hostname()}`

test('an approved login stores the key for its owner alone, and later commands use it', async () => {
  await using place = await workplace()
  const { url } = place.proxy
  const approved = await approveLogins(place, 'approve', 2)
  const login = await place.run(`login --server ${url}`, { env: {} })
  assert.equal(login.exitCode, 0, login.stderr)
  const { code } = approved
  assert.match(login.stderr, new RegExp(`To sign in, open http.*/cli#${code}\nand approve the code ${code}`))
  assert.equal(login.stdout, `Signed in to ${url} as the key "${keyName}", My team.\n`)
  assert.equal(place.proxy.count('claimLogin'), 3)

  const path = join(place.path, stored)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(join(path, '..'))).mode & 0o777, 0o700)
  const { last, servers } = JSON.parse(await readFile(path, 'utf8'))
  assert.deepEqual([last, Object.keys(servers), Object.keys(servers[url])], [url, [url], ['key']])
  assert.match(servers[url].key, /^mh_\w+$/)

  const whoami = await place.run('whoami', { env: {} })
  assert.equal(whoami.exitCode, 0, whoami.stderr)
  assert.match(
    whoami.stdout,
    new RegExp(
      `^Server {3}http.*\nKey {6}${keyName} \\(key_\\w+\\)\nAccount {2}My team \\(free\\)\nScopes {3}read, deploy, domains, admin\n$`,
    ),
  )
})

test('an approved login succeeds although the answer with the key was lost', async () => {
  await using place = await workplace()
  await approveLogins(place, 'approve')
  place.proxy.cut.push('claimLogin')
  const login = await place.run('login', { env: place.signedOut })
  assert.equal(login.exitCode, 0, login.stderr)
  assert.equal(place.proxy.count('claimLogin'), 2)
  assert.equal((await place.run('whoami', { env: place.signedOut })).exitCode, 0)
})

/** As if the ten minutes had passed in which a code can be approved. */
function expireLogins(): void {
  using database = new DatabaseSync(join(server().masthead.dataFolder, 'masthead.db'), { timeout: 5_000 })
  database.exec('UPDATE logins SET expires_at = created_at')
}

test('a refused login and one that nobody approves store nothing', async () => {
  await using place = await workplace()
  await approveLogins(place, 'deny', 1)
  const denied = await place.run('login', { env: place.signedOut })
  assert.equal(denied.exitCode, 3)
  assert.match(denied.stderr, /The request was denied in the browser\./)
  place.proxy.before.claimLogin = expireLogins
  const late = await place.run('login', { env: place.signedOut })
  assert.equal(late.exitCode, 3)
  assert.match(late.stderr, /The code has expired or was used already\./)
  await assert.rejects(stat(join(place.path, stored)), { code: 'ENOENT' })
})

test('a key from standard input is checked before it is stored', async () => {
  await using place = await workplace()
  const env = place.signedOut
  const wrong = await place.run('login --with-key', { env, input: 'mh_wrong\n' })
  assert.equal(wrong.exitCode, 3)
  assert.equal((await place.run('whoami', { env })).exitCode, 3)

  const { key } = server().account
  const right = await place.run('login --with-key --json', { env, input: `${key}\n` })
  assert.equal(right.exitCode, 0, right.stderr)
  assert.equal(JSON.parse(right.stdout).account.name, 'My team')
  assert.equal((await place.run('whoami', { env })).exitCode, 0)
  const { servers } = JSON.parse(await readFile(join(place.path, stored), 'utf8'))
  assert.deepEqual(servers, { [place.proxy.url]: { key } })

  assert.equal((await place.run('login --with-key', { env, input: '' })).exitCode, 2)
})

test('logout forgets the key of this server and of no other', async () => {
  await using place = await workplace()
  const other = { 'https://other.example': { key: 'mh_other' } }
  await place.write(stored, JSON.stringify({ last: 'https://other.example', servers: other }))
  await place.run('login --with-key', { env: place.signedOut, input: server().account.key })
  assert.equal((await place.run('logout', { env: {} })).stdout, `Signed out of ${place.proxy.url}.\n`)
  assert.deepEqual(JSON.parse(await readFile(join(place.path, stored), 'utf8')), { servers: other })
})

test('at a terminal the browser is opened at the page to approve', { skip: noTerminal }, async () => {
  await using place = await workplace({ 'bin/xdg-open': '#!/bin/sh\necho "$1" > opened\n' })
  await chmod(join(place.path, 'bin/xdg-open'), 0o755)
  const approved = await approveLogins(place, 'approve', 1)
  const env = { ...place.signedOut, PATH: `${join(place.path, 'bin')}:${process.env.PATH}` }
  const { exitCode, stdout } = await place.atTerminal('login', { env })
  assert.equal(exitCode, 0, stdout)
  let opened = ''
  await until(async () => {
    opened = await readFile(join(place.path, 'opened'), 'utf8').catch(() => '')
    return opened !== ''
  })
  assert.equal(opened, `${server().origin}/cli#${approved.code}\n`)
})

test('stored keys that cannot be read are named', async () => {
  await using place = await workplace({ [stored]: '{' })
  const { exitCode, stderr } = await place.run('whoami', { env: place.signedOut })
  assert.equal(exitCode, 1)
  assert.match(stderr, /credentials\.json cannot be read\.\nDelete the file and sign in again/)
})

test('a new key has the scopes and the expiry asked for, and its secret stands alone on standard output', async () => {
  await using place = await workplace()
  const { exitCode, stdout, stderr } = await place.run(
    'keys create ci --scope read,deploy --scope admin --expires 2099-01-31',
  )
  assert.equal(exitCode, 0, stderr)
  assert.match(stdout, /^mh_\w+\n$/)
  assert.equal((await place.run('keys create plain')).exitCode, 0)
  const { items } = await place.client.listKeys()
  const created = items.map(({ name, scopes, expiresAt, hint }) => ({ name, scopes, expiresAt, hint }))
  const [ci] = created.filter(({ name }) => name === 'ci')
  const [plain] = created.filter(({ name }) => name === 'plain')
  assert.deepEqual(
    [ci?.scopes, ci?.expiresAt, ci?.hint],
    [['read', 'deploy', 'admin'], '2099-01-31T00:00:00.000Z', stdout.trim().slice(-4)],
  )
  assert.deepEqual([plain?.scopes, plain?.expiresAt], [['read', 'deploy', 'domains'], null])
  assert.deepEqual(
    place.proxy.requests.map(({ name, body }) => [name, Object.keys(JSON.parse(body.toString()))]),
    [
      ['createKey', ['name', 'scopes', 'expiresAt']],
      ['createKey', ['name']],
    ],
  )
})

test('revoking a key is confirmed first', { skip: noTerminal }, async () => {
  await using place = await workplace()
  const { id } = await place.client.createKey({ body: { name: 'old' } })
  assert.equal((await place.run(`keys revoke ${id}`)).exitCode, 2)
  assert.equal((await place.atTerminal(`keys revoke ${id}`, { input: '\n' })).exitCode, 1)
  assert.equal(place.proxy.count('revokeKey'), 0)
  const { exitCode, stdout } = await place.run(`keys revoke ${id} --yes --json`)
  assert.equal(exitCode, 0)
  assert.deepEqual(JSON.parse(stdout), { revoked: id })
  assert.ok(!(await place.client.listKeys()).items.some((key) => key.id === id))
})

test('a key revokes itself although the first answer was lost', async () => {
  await using place = await workplace()
  const { id, secret } = await place.client.createKey({ body: { name: 'old', scopes: ['admin'] } })
  place.proxy.cut.push('revokeKey')
  const env = { ...place.signedIn, MASTHEAD_KEY: secret }
  const { exitCode, stderr } = await place.run(`keys revoke ${id} --yes`, { env })
  assert.equal(exitCode, 0, stderr)
  assert.deepEqual(place.proxy.cut, [])
  assert.ok(!(await place.client.listKeys()).items.some((key) => key.id === id))
})

test('wrong words after keys are explained', async () => {
  await using place = await workplace()
  const fixes = []
  for (const words of ['revok key_1', 'create', 'create ci --scope everything', 'create ci --expires soon']) {
    const { exitCode, stderr } = await place.run(`keys ${words}`)
    assert.equal(exitCode, 2)
    fixes.push(stderr.trim().split('\n')[1])
  }
  assert.deepEqual(fixes, [
    'Did you mean `masthead keys revoke`?',
    'Use `masthead keys create NAME`.',
    'Scopes are read, deploy, domains, admin.',
    'Use 90d, 12h, 4w, 1y or a date such as 2027-01-31.',
  ])
})
