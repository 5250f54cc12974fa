import assert from 'node:assert/strict'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { noTerminal } from '../../test/run-masthead.ts'
import { workplace } from '../../test/workplace.ts'

const stored = '.config/masthead/credentials.json'

test('an approved login stores the key for its owner alone, and later commands use it', async () => {
  await using place = await workplace()
  place.server.polls.pending = 2
  const login = await place.run(`login --server ${place.server.url}`, { env: {} })
  assert.equal(login.exitCode, 0, login.stderr)
  assert.match(login.stderr, /To sign in, open http.*\/cli#BCDF-GHJK\nand approve the code BCDF-GHJK/)
  assert.equal(login.stdout, `Signed in to ${place.server.url} as the key "laptop", My team.\n`)
  assert.equal(place.server.count('claimLogin'), 3)

  const path = join(place.path, stored)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(join(path, '..'))).mode & 0o777, 0o700)
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), {
    last: place.server.url,
    servers: { [place.server.url]: { key: place.server.key } },
  })

  const whoami = await place.run('whoami', { env: {} })
  assert.equal(whoami.exitCode, 0, whoami.stderr)
  assert.match(
    whoami.stdout,
    /^Server {3}http.*\nKey {6}laptop \(key_1\)\nAccount {2}My team \(free\)\nMay {6}read, deploy\n$/,
  )
})

test('a refused login and one that nobody approves store nothing', async () => {
  await using place = await workplace()
  for (const [outcome, message] of [
    ['denied', /The request was refused in the browser\./],
    ['expired', /The code was not approved in time\./],
  ] as const) {
    place.server.polls = { pending: 1, outcome }
    const { exitCode, stderr } = await place.run('login', { env: place.signedOut })
    assert.equal(exitCode, 3)
    assert.match(stderr, message)
  }
  await assert.rejects(stat(join(place.path, stored)), { code: 'ENOENT' })
})

test('a key from standard input is checked before it is stored', async () => {
  await using place = await workplace()
  const env = place.signedOut
  const wrong = await place.run('login --with-key', { env, input: 'mh_wrong\n' })
  assert.equal(wrong.exitCode, 3)
  assert.equal((await place.run('whoami', { env })).exitCode, 3)

  const right = await place.run('login --with-key --json', { env, input: `${place.server.key}\n` })
  assert.equal(right.exitCode, 0, right.stderr)
  assert.equal(JSON.parse(right.stdout).account.name, 'My team')
  assert.equal((await place.run('whoami', { env })).exitCode, 0)

  assert.equal((await place.run('login --with-key', { env, input: '' })).exitCode, 2)
})

test('logout forgets the key of this server and of no other', async () => {
  await using place = await workplace()
  const other = { 'https://other.example': { key: 'mh_other' } }
  await place.write(stored, JSON.stringify({ last: 'https://other.example', servers: other }))
  await place.run('login --with-key', { env: place.signedOut, input: place.server.key })
  assert.equal((await place.run('logout', { env: {} })).stdout, `Signed out of ${place.server.url}.\n`)
  assert.deepEqual(JSON.parse(await readFile(join(place.path, stored), 'utf8')), { servers: other })
})

test('at a terminal the browser is opened at the page to approve', { skip: noTerminal }, async () => {
  await using place = await workplace({ 'bin/xdg-open': '#!/bin/sh\necho "$1" > opened\n' })
  await chmod(join(place.path, 'bin/xdg-open'), 0o755)
  place.server.polls.pending = 1
  const env = { ...place.signedOut, PATH: `${join(place.path, 'bin')}:${process.env.PATH}` }
  const { exitCode, stdout } = await place.atTerminal('login', { env })
  assert.equal(exitCode, 0, stdout)
  let opened = ''
  for (let tries = 0; opened === '' && tries < 100; tries++) {
    opened = await readFile(join(place.path, 'opened'), 'utf8').catch(() => '')
    if (opened === '') await delay(20)
  }
  assert.equal(opened, `${place.server.url}/cli#BCDF-GHJK\n`)
})

test('stored keys that cannot be read are named', async () => {
  await using place = await workplace({ [stored]: '{' })
  const { exitCode, stderr } = await place.run('whoami')
  assert.equal(exitCode, 1)
  assert.match(stderr, /credentials\.json cannot be read\.\nRemove the file and sign in again/)
})
