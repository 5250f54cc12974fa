import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withheldContent } from '../deployments/manifest.ts'
import { cheapHash } from '../protection/cheap-hash.test-kit.ts'
import { type Answer, protectionOf, startEdge } from './edge.test-kit.ts'

const secret = 'what only guests may read'
const files = {
  '/index.html': 'open',
  '/members/index.html': secret,
  '/members/list.html': secret,
  '/members/data.json': secret,
}

function assertClosed({ status, headers, body }: Answer, what = ''): void {
  assert.equal(status, 401, what)
  assert.ok(!body.includes(secret), what)
  assert.equal(headers['www-authenticate'], undefined)
}

test('users of Basic-Auth lines sign in on a page, and programs with each request', async () => {
  await using edge = await startEdge()
  const users = (...names: string[]) =>
    names.map((user) => ({ user, hash: cheapHash(`password of ${user}`) }))
  await edge.publish(
    'users',
    { ...files, '/_headers': '/*\n  X-A: 1\n', '/_redirects': '/in /members/list.html 200\n' },
    {
      protect: [
        { line: 1, from: '/members/*', credentials: users('mia', 'leo') },
        { line: 3, from: '/members/list*', credentials: users('leo') },
        { line: 5, from: '/broken', credentials: [] },
      ],
    },
  )
  const host = { host: 'users.masthead.localhost' }
  const basic = (user: string, password = `password of ${user}`) => ({
    ...host,
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  })
  const page = await edge.ask('/members', host)
  assertClosed(page)
  assert.match(page.body.toString(), /<label for="user">/)
  assert.equal((await edge.ask('/', host)).status, 200)
  for (const path of [
    '/members/',
    '/members/data.json',
    '/members/index.html',
    '/in',
    '/broken',
    '/members/%6cist',
  ]) {
    assertClosed(await edge.ask(path, host), path)
  }
  const data = await edge.ask('/members/data.json', basic('mia'))
  assert.deepEqual([data.status, data.headers['cache-control']], [200, 'private, no-cache'])
  assertClosed(await edge.ask('/members/list', basic('mia')), 'each lock has to be opened')
  assert.equal((await edge.ask('/members/list', basic('leo'))).status, 200)
  assert.equal((await edge.ask('/in', basic('leo'))).status, 200)
  assertClosed(await edge.ask('/broken', basic('leo')))
  for (const authorization of [
    'Basic',
    'Basic !',
    'Basic bWlh',
    'Bearer x',
    `Basic ${'A'.repeat(4_000)}`,
    '',
  ]) {
    assertClosed(await edge.ask('/members/data.json', { ...host, authorization }), authorization)
  }
  const guesses: number[] = []
  for (let n = 0; n < 8; n++)
    guesses.push((await edge.ask('/members/data.json', basic('mia', `${n}`))).status)
  assert.deepEqual(guesses.slice(0, 4), [401, 401, 401, 401])
  assert.ok(guesses.includes(429))
  // What is known to be right is not a guess.
  assert.equal((await edge.ask('/members/data.json', basic('mia'))).status, 200)
})

test('a user cannot guess the password of another one by signing in again and again', async () => {
  await using edge = await startEdge({}, 'both', { protection: { ...protectionOf(), now: () => 0 } })
  const credentials = ['mia', 'leo'].map((user) => ({ user, hash: cheapHash(`password of ${user}`) }))
  const protect = [{ line: 1, from: '/members/*', credentials }]
  await edge.publish('hello', { ...files, '/_headers': '/*\n  X-A: 1\n' }, { protect })
  const ask = async (user: string, password: string, blanks = 1) => {
    const encoded = Buffer.from(`${user}:${password}`).toString('base64')
    const authorization = `Basic${' '.repeat(blanks)}${encoded}`
    return (await edge.ask('/members/data.json', { authorization })).status
  }
  const guesses: number[] = []
  for (let n = 0; n < 30; n++) {
    // Spelled in another way each time, so that it is checked again.
    if (n % 3 === 0) assert.equal(await ask('mia', 'password of mia', 1 + n), 200)
    guesses.push(await ask('leo', `guess ${n}`))
  }
  assert.deepEqual([guesses.indexOf(429), guesses.lastIndexOf(401)], [5, 4])
})

test('a site whose passwords are lost with its rules is not open to everybody', async () => {
  await using edge = await startEdge()
  const site = await edge.publish('lost', { ...files, '/_headers': withheldContent })
  const rules = site.rules
  delete site.rules
  const ask = () => edge.ask('/members/data.json', { host: 'lost.masthead.localhost' })
  const { status, body } = await ask()
  assert.deepEqual([status, body.includes(secret)], [503, false])
  if (rules !== undefined) site.rules = rules
  assert.equal((await ask()).status, 200)
})

test('after a wrong password, the page asks again for what the file behind the address needs', async () => {
  await using edge = await startEdge()
  const protect = [
    { line: 1, from: '/private/*', credentials: [{ user: null, hash: cheapHash('for everyone') }] },
    { line: 2, from: '/members/*', credentials: [{ user: 'mia', hash: cheapHash('of mia') }] },
  ]
  const rules = { '/_redirects': '/open /members/data.json 200\n' }
  await edge.publish('hello', { ...files, ...rules }, { protect })
  for (const path of ['/open', '/.masthead/sign-in?to=/open', '/.masthead/sign-in?to=/open&trouble=wrong']) {
    const { status, body } = await edge.ask(path)
    assert.equal(status, 401, path)
    assert.match(body.toString(), /<label for="user">/, path)
  }
})
