import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { freePort } from '@masthead/testing/free-port.ts'
import { noTerminal, program } from '../test/run-masthead.ts'
import { Refusal } from '../test/stand-in-server.ts'
import { workplace } from '../test/workplace.ts'
import { commands } from './commands.ts'

test('help names every command, and each has its own with usage and examples', async () => {
  await using place = await workplace()
  const { exitCode, stdout } = await place.run('--help')
  assert.equal(exitCode, 0)
  for (const { name, summary } of commands) assert.match(stdout, new RegExp(`^  ${name} +${summary}$`, 'm'))
  const own = await place.run('deploy --help')
  assert.match(own.stdout, /^Publish a folder\.\n/)
  assert.match(own.stdout, /^ {2}masthead deploy \[folder\]$/m)
  assert.match(own.stdout, /--no-activate +publish as a preview/)
  assert.equal((await place.run('help deploy')).stdout, own.stdout)
  for (const line of `${stdout}${own.stdout}`.split('\n')) assert.ok(line.length <= 110, line)
  assert.deepEqual(place.server.asked, [])
})

test('the version is that of the package', async () => {
  await using place = await workplace()
  assert.match((await place.run('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
})

test('wrong usage exits with 2 and says what was probably meant', async () => {
  await using place = await workplace()
  const { exitCode, stdout, stderr } = await place.run('depoly')
  assert.equal(exitCode, 2)
  assert.equal(stdout, '')
  assert.equal(stderr, 'There is no command "depoly".\nDid you mean `masthead deploy`?\n')
})

test('a server that is not there exits with 4', async () => {
  await using place = await workplace()
  const server = `http://127.0.0.1:${await freePort()}`
  const { exitCode, stderr } = await place.run(`projects --server ${server}`)
  assert.equal(exitCode, 4)
  assert.match(stderr, new RegExp(`^Could not reach ${server}: is the server running\\?\n`))
})

test('a key that is not accepted, or not permitted, exits with 3', async () => {
  await using place = await workplace()
  const wrong = await place.run('projects', { env: { ...place.signedOut, MASTHEAD_KEY: 'mh_wrong' } })
  assert.equal(wrong.exitCode, 3)
  assert.match(wrong.stderr, /Run `masthead login`/)
  place.server.instead.listKeys = () => {
    throw new Refusal('forbidden', 'This key lacks the scope admin.')
  }
  const { exitCode, stderr } = await place.run('keys')
  assert.equal(exitCode, 3)
  assert.match(stderr, /^This key lacks the scope admin\.\nUse a key with the scope/)
})

test('a failure of the server shows the request id, and each wrong field its own line', async () => {
  await using place = await workplace()
  place.server.instead.listProjects = () => {
    throw new Refusal('internal', 'Something went wrong.')
  }
  const internal = await place.run('projects')
  assert.equal(internal.exitCode, 1)
  assert.match(internal.stderr, /\nRequest req_1\n$/)
  place.server.instead.listProjects = () => {
    const errors = [{ path: 'limit', message: 'must be at most 100' }]
    throw new Refusal('invalid_input', 'One value is not valid.', { errors })
  }
  assert.equal((await place.run('projects')).stderr, 'One value is not valid.\nlimit: must be at most 100\n')
})

test('an answer that asks for a longer wait than anyone stays for says when to come back', async () => {
  await using place = await workplace()
  place.server.retryAfter = 3600
  place.server.instead.listProjects = () => {
    throw new Refusal('too_many_attempts', 'Too many requests.')
  }
  const { exitCode, stderr } = await place.run('projects')
  assert.equal(exitCode, 1)
  assert.equal(stderr, 'Too many requests.\nTry again in 1 h.\n')
})

test('with --json errors are problem documents on standard error, wrong usage included', async () => {
  await using place = await workplace()
  const missing = await place.run('open nowhere --json')
  assert.equal(missing.stdout, '')
  const problem = JSON.parse(missing.stderr)
  assert.deepEqual([problem.code, problem.status, problem.requestId], ['not_found', 404, 'req_1'])
  assert.equal(JSON.parse((await place.run('depoly --json')).stderr).code, 'usage')
  const signedOut = await place.run('whoami --json', { env: place.signedOut })
  assert.equal(JSON.parse(signedOut.stderr).code, 'not_signed_in')
})

test('colours are left out where NO_COLOR asks for it', { skip: noTerminal }, async () => {
  await using place = await workplace()
  assert.ok((await place.atTerminal('projcts')).stdout.includes('\x1b[31m'))
  const { stdout } = await place.atTerminal('projcts', { env: { NO_COLOR: '1' } })
  assert.ok(!stdout.includes('\x1b['), stdout)
})

test('Ctrl-C ends a command that waits with 130', async () => {
  await using place = await workplace()
  place.server.polls.pending = Number.POSITIVE_INFINITY
  const env = { ...place.signedOut, PATH: process.env.PATH, XDG_CONFIG_HOME: place.path, HOME: place.path }
  const child = spawn(process.execPath, [program, 'login'], { cwd: place.path, env })
  await once(child.stderr, 'data')
  child.kill('SIGINT')
  const [code] = await once(child, 'close')
  assert.equal(code, 130)
})
