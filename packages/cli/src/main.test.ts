import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { freePort } from '@masthead/testing/free-port.ts'
import { until } from '@masthead/testing/until.ts'
import { brokenServer } from '../test/broken-server.ts'
import { hostileServer } from '../test/hostile-server.ts'
import { noTerminal, program, startUnread } from '../test/run-masthead.ts'
import { serverForFile } from '../test/test-server.ts'
import { createWorkplace, workplaceWithSite } from '../test/workplace.ts'
import { commands } from './commands.ts'

const server = serverForFile()
const workplace = () => createWorkplace(server())

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
  const paragraphs = commands.flatMap(({ about = [] }) => about)
  for (const line of [stdout, own.stdout, ...paragraphs].join('\n').split('\n')) {
    assert.ok(line.length <= 110, line)
  }
  assert.deepEqual(place.proxy.called, [])
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
  assert.equal(stderr, 'Unknown command "depoly".\nDid you mean `masthead deploy`?\n')
})

test('a server that is not there exits with 4', async () => {
  await using place = await workplace()
  const nobody = `http://127.0.0.1:${await freePort()}`
  const { exitCode, stderr } = await place.run(`projects --server ${nobody}`)
  assert.equal(exitCode, 4)
  assert.match(stderr, new RegExp(`^Could not reach ${nobody}: is the server running\\?\n`))
  assert.match(stderr, new RegExp(`^Tried ${nobody.slice(7)}: connection refused\\.\nStart it with`, 'm'))
})

test('a key that is not accepted, or not permitted, exits with 3', async () => {
  await using place = await workplace()
  const wrong = await place.run('projects', { env: { ...place.signedOut, MASTHEAD_KEY: 'mh_wrong' } })
  assert.equal(wrong.exitCode, 3)
  assert.match(wrong.stderr, /Run `masthead login`/)
  const { secret } = await place.client.createKey({ body: { name: 'ci', scopes: ['read'] } })
  const { exitCode, stderr } = await place.run('keys', { env: { ...place.signedOut, MASTHEAD_KEY: secret } })
  assert.equal(exitCode, 3)
  assert.match(stderr, /^[^\n]*scope admin[^\n]*\nUse a key with the scope/)
})

test('a key is used without the line breaks around it, and one that cannot be a key is named', async () => {
  await using place = await workplace()
  const { key } = server().account
  const run = (given: string) => place.run('whoami', { env: { ...place.signedOut, MASTHEAD_KEY: given } })
  for (const pasted of [`${key}\n`, `\r\n${key}\r\n`, `\uFEFF${key} `]) {
    const { exitCode, stderr } = await run(pasted)
    assert.equal(exitCode, 0, stderr)
  }
  const called = place.proxy.called.length
  for (const wrong of [`“${key}”`, `${key}\n${key}`, 'mh_\x01']) {
    const { exitCode, stderr } = await run(wrong)
    assert.equal(exitCode, 3, stderr)
    assert.match(stderr, /^MASTHEAD_KEY is not a key: /)
    assert.ok(!stderr.includes(key), stderr)
  }
  const login = await place.run('login --with-key', { env: place.signedOut, input: `“${key}”` })
  assert.equal(login.exitCode, 3, login.stderr)
  assert.match(login.stderr, /is not a key: /)
  assert.equal(place.proxy.called.length, called)
})

test('what does not exist is followed by the command that lists what does', async () => {
  await using place = await workplace()
  await place.addProject('site')
  const id = '06d8f2k4m9q1s7x3b5n0'
  for (const [args, list] of [
    [`rollback dpl_${id} -p site`, 'deployments --project site'],
    [`logs dpl_${id} -p site`, 'deployments --project site'],
    [`deployments delete dpl_${id} -p site --yes`, 'deployments --project site'],
    [`domains show www.acme.localhost -p site`, 'domains --project site'],
    [`keys revoke key_${id} --yes`, 'keys'],
    [`webhooks test whk_${id}`, 'webhooks'],
    [`trust remove pub_${id} --yes`, 'trust'],
    ['open nowhere', 'projects'],
  ] as const) {
    const { exitCode, stderr } = await place.run(args)
    assert.equal(exitCode, 1, args)
    assert.match(stderr, new RegExp(`\nRun \`masthead ${list}\` to list [^\n]*\n$`), args)
  }
})

test('a failure of the server shows the request id, and each wrong field its own line', async () => {
  await using place = await workplace()
  const problem = {
    type: 'about:blank',
    title: 'Something went wrong',
    status: 500,
    detail: 'Something went wrong.',
    code: 'internal',
    requestId: 'req_1',
  }
  const body = JSON.stringify(problem)
  await using broken = await brokenServer({ status: 500, type: 'application/problem+json', body })
  const internal = await place.run(`projects --server ${broken.url}`)
  assert.equal(internal.exitCode, 1)
  assert.match(internal.stderr, /\nRequest req_1\n$/)
  const long = 'x'.repeat(2_001)
  const { exitCode, stderr } = await place.run(`lab set a.localhost TXT ${long} ${long}`)
  assert.equal(exitCode, 1)
  const [, ...fields] = stderr.trim().split('\n')
  assert.equal(fields.length, 2, stderr)
  assert.match(fields[0] ?? '', /^values\.0: must have at most 2000 characters/)
  assert.match(fields[1] ?? '', /^values\.1: must have at most 2000 characters/)
})

test('what is not Masthead is named with what it said', async () => {
  await using place = await workplace()
  await using broken = await brokenServer({ status: 502, type: 'text/html', body: '<h1>Bad gateway</h1>' })
  const { exitCode, stderr } = await place.run(`whoami --server ${broken.url}`)
  assert.equal(exitCode, 1)
  assert.match(stderr, /status 502.*"Bad gateway"/)
})

test('with --json errors are problem documents on standard error, wrong usage included', async () => {
  await using place = await workplace()
  const missing = await place.run('open nowhere --json')
  assert.equal(missing.stdout, '')
  const problem = JSON.parse(missing.stderr)
  assert.deepEqual([problem.code, problem.status, problem.requestId], ['not_found', 404, problem.requestId])
  assert.match(problem.requestId, /^req_\w+$/)
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

test('what a server says does not control the terminal', { skip: noTerminal }, async () => {
  await using place = await workplace()
  const sequence = '\x1b]0;title\x07\x1b[2J\x9b2J\r'
  const detail = `No${sequence}`
  const problem = { type: 'about:blank', title: 'x', status: 403, code: 'forbidden', detail, requestId: 'r' }
  const type = 'application/problem+json'
  await using refusing = await brokenServer({ status: 403, type, body: JSON.stringify(problem) })
  const items = [{ id: 'key_1', name: detail, hint: 'x', scopes: [] }]
  await using listing = await hostileServer({ listKeys: () => ({ items, next: null }) })
  for (const [{ url }, line] of [
    [refusing, 'whoami'],
    [listing, 'keys'],
  ] as const) {
    const env = { ...place.signedIn, MASTHEAD_SERVER: url }
    const { stdout } = await place.atTerminal(line, { env })
    assert.ok(stdout.includes('No�]0;title��[2J�2J�'), JSON.stringify(stdout))
  }
})

test('Ctrl-C ends a command that waits with 130', async () => {
  await using place = await workplace()
  const env = { ...place.signedOut, PATH: process.env.PATH, XDG_CONFIG_HOME: place.path, HOME: place.path }
  const child = spawn(process.execPath, [program, 'login'], { cwd: place.path, env })
  await once(child.stderr, 'data')
  child.kill('SIGINT')
  const [code] = await once(child, 'close')
  assert.equal(code, 130)
})

test('Ctrl-C ends a command that reads its input with 130', { timeout: 30_000 }, async (t) => {
  await using place = await workplace()
  for (const args of ['login --with-key', 'api PUT /v1/account/plan --input -']) {
    const child = startUnread(args.split(' '), { cwd: place.path, env: place.signedIn }, [])
    t.after(() => child.kill('SIGKILL'))
    const said = text(child.stderr)
    const closed = once(child, 'close')
    // More than a pipe holds, so that it is written only once somebody reads it.
    await new Promise((resolve) => child.stdin.write('x'.repeat(4 * 1024 ** 2), resolve))
    child.stdin.on('error', () => {})
    child.kill('SIGINT')
    assert.deepEqual(await closed, [130, null], args)
    assert.equal(await said, 'Interrupted.\n')
  }
})

test('a deploy whose notes and result nobody reads is published all the same', async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'hi' })
  const at = { cwd: place.path, env: place.signedIn }
  const child = startUnread(['deploy', 'site', '-p', 'odd'], at, ['stdout', 'stderr'])
  const [code] = await once(child, 'close')
  assert.equal(code, 0)
  const { items } = await place.client.listDeployments({ params: { project: 'odd' } })
  assert.deepEqual(
    items.map(({ state, active }) => [state, active]),
    [['ready', true]],
  )
})

test('a command keeps its exit code if nobody reads the result', async () => {
  await using place = await workplaceWithSite(server())
  await place.addDomain('www.acme.localhost')
  const at = { cwd: place.path, env: place.signedIn }
  const child = startUnread(['domains', 'verify', 'www.acme.localhost', '--no-wait'], at, ['stdout'])
  child.stderr.resume()
  const [code] = await once(child, 'close')
  assert.equal(code, 1)
})

test('a full disk for the outputs does not stop a command, and a lost result is reported', {
  skip: process.platform === 'linux' ? false : 'needs /dev/full',
}, async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'hi' })
  const full = (line: string) => place.run(line, { under: ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh'] })
  const deployed = await full('deploy site -p full')
  assert.deepEqual([deployed.exitCode, deployed.stdout], [0, `${server().site('full')}\n`])
  assert.equal((await full('projcts')).exitCode, 2)
  for (const line of ['open full', '--version'] as const) {
    const lost = await place.run(line, { under: ['sh', '-c', 'exec "$@" >/dev/full', 'sh'] })
    assert.equal(lost.exitCode, 1)
    assert.match(
      lost.stderr,
      /^The command was carried out, but its result could not be written \(ENOSPC\)\.\n/,
    )
  }
})

test('a command that only prints ends when nobody reads it', async () => {
  await using place = await workplace()
  // The proxy of the workplace does not pass streams on.
  const at = { cwd: place.path, env: { ...place.signedIn, MASTHEAD_SERVER: server().origin } }
  const child = startUnread(['webhooks', 'listen'], at, ['stdout'])
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    told += part
  })
  await until(() => told.includes('Listening'))
  await place.addProject('site')
  const [code] = await once(child, 'close')
  assert.equal(code, 0)
  assert.match(told, /Stopped after 1 event\./)
})

test('an answer that asks for a longer wait than anyone stays for says when to come back', async () => {
  await using place = await workplace()
  // Sign-in requests of one address have to wait longer and longer: the wait doubles with each.
  using database = new DatabaseSync(join(server().masthead.dataFolder, 'masthead.db'), { timeout: 5_000 })
  database.exec('UPDATE attempts SET failures = 60')
  const { exitCode, stderr } = await place.run('login', { env: place.signedOut })
  assert.equal(exitCode, 1)
  assert.match(stderr, /^Too many attempts\..*\nTry again in 15 min\.\n$/)
  assert.equal(place.proxy.count('startLogin'), 1)
})
