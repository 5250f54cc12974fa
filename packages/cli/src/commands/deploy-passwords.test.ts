import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace } from '../../test/workplace.ts'

const server = serverForFile()
const pages = { 'dist/index.html': 'hi', 'dist/members/list.html': 'list' }

/** Publishes the files and asks for a protected page, first without and then with the password of mia. */
async function visit(files: Record<string, string | Uint8Array>) {
  await using place = await createWorkplace(server(), { ...pages, ...files })
  const { exitCode, stdout, stderr } = await place.run('deploy dist --project guarded')
  assert.equal(exitCode, 0, stderr)
  const { host, port } = new URL(stdout)
  const ask = async (path: string, headers = {}) => {
    const options = { host: '127.0.0.1', port, path, headers: { host, ...headers } }
    const [answer]: IncomingMessage[] = await once(get(options), 'response')
    answer?.resume()
    return answer?.statusCode
  }
  const authorization = `Basic ${Buffer.from('mia:correct-horse').toString('base64')}`
  return {
    stderr,
    open: await ask('/'),
    closed: await ask('/members/list'),
    signedIn: await ask('/members/list', { authorization }),
  }
}

test('a password applies although blanks or a comment follow its path', async () => {
  for (const files of [
    { 'dist/_headers': '/members/* # staff only\n  Basic-Auth: mia:correct-horse\n' },
    { 'dist/_headers': '/members/*\u00a0\n  Basic-Auth: mia:correct-horse\n' },
    {
      'masthead.json': JSON.stringify({ protect: [{ for: '/members/* ', users: { mia: 'correct-horse' } }] }),
    },
    {
      'dist/netlify.toml':
        '[[headers]]\nfor = "/members/* "\n[headers.values]\nBasic-Auth = "mia:correct-horse"\n',
    },
  ]) {
    const { stderr, ...statuses } = await visit(files)
    assert.deepEqual(statuses, { open: 200, closed: 401, signedIn: 200 }, JSON.stringify(files))
    assert.doesNotMatch(stderr, /line \d/)
  }
})

test('a password applies although Windows wrote its file in UTF-16', async () => {
  const inUtf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
  const toml = '[[headers]]\r\nfor = "/members/*"\r\n[headers.values]\r\nBasic-Auth = "mia:correct-horse"\r\n'
  const protect = [{ for: '/members/*', users: { mia: 'correct-horse' } }]
  for (const [name, text] of [
    ['dist/_headers', '/members/*\r\n  Basic-Auth: mia:correct-horse\r\n'],
    ['dist/netlify.toml', toml],
    ['netlify.toml', toml],
    ['masthead.json', JSON.stringify({ protect })],
  ] as const) {
    const { stderr, ...statuses } = await visit({ [name]: inUtf16(text) })
    assert.deepEqual(statuses, { open: 200, closed: 401, signedIn: 200 }, name)
    assert.doesNotMatch(stderr, /line \d/)
  }
})

test('a value that cannot be used does not open the pages whose password is beside it', async () => {
  const toml = '[[headers]]\nfor = "/members/*"\n[headers.values]\nBasic-Auth = "mia:correct-horse"\n'
  const { stderr, ...statuses } = await visit({
    'dist/netlify.toml': `${toml}Access-Control-Max-Age = 600\n`,
  })
  assert.deepEqual(statuses, { open: 200, closed: 401, signedIn: 200 })
  assert.match(stderr, /netlify\.toml line 1: .*"Access-Control-Max-Age": is not a text; put it in quotes/)
})

test('a password that cannot be read lets nobody in, and is reported', async () => {
  const misspelt = { 'dist/_headers': '/members/*\n  Basic-Auth mia:correct-horse\n' }
  const twice = {
    'dist/netlify.toml':
      '[[headers]]\nfor = "/members/*"\n[headers.values]\nBasic-Auth = "mia:correct-horse"\nBasic-Auth = "leo:x"\n',
  }
  for (const [files, open, told] of [
    [misspelt, 200, /_headers line 2: Write Basic-Auth: user:password.*only members of the account get in/],
    [twice, 401, /netlify\.toml line 5: .*not valid TOML.*only members of the account get in to "\/\*"/],
  ] as const) {
    const { stderr, ...statuses } = await visit(files)
    assert.deepEqual(statuses, { open, closed: 401, signedIn: 401 }, JSON.stringify(files))
    assert.match(stderr, told)
    assert.doesNotMatch(stderr, /correct-horse/)
  }
})
