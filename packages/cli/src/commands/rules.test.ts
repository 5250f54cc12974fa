import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { runMasthead } from '../../test/run-masthead.ts'

/** No server answers there: the check needs none. */
const env = { MASTHEAD_SERVER: 'http://127.0.0.1:9' }

async function check(files: Record<string, string>, args = 'rules check site') {
  await using folder = await temporaryFolder('masthead-rules')
  await mkdir(join(folder.path, 'site'), { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, 'site', path)), { recursive: true })
    await writeFile(join(folder.path, 'site', path), content)
  }
  // Awaited here, because the folder is removed on return.
  return await runMasthead(args.split(' '), { cwd: folder.path, env })
}

test('rules that can be used are counted', async () => {
  const { exitCode, stdout, stderr } = await check({
    'index.html': 'hi',
    _redirects: '/old /new\n/* /index.html 200\n',
    _headers: '/*\n  X-Frame-Options: DENY\n',
  })
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, '2 redirects, headers for 1 path\n')
})

test('rules of the project file beside the folder are checked with the lines they have there', async () => {
  const yaml =
    'folder: site\nredirects:\n  - { from: /old, to: /elsewhere }\n  - { from: a, to: /b }\nspa: true\n'
  const { exitCode, stdout } = await check(
    { 'index.html': 'hi', _redirects: '/old /new\n', '../masthead.yaml': yaml },
    'rules check',
  )
  assert.equal(exitCode, 1)
  assert.match(stdout, /^masthead\.yaml line 4: not used\. .*slash/m)
  assert.match(stdout, /^_redirects line 1: masthead\.yaml line 3 already answers "\/old"/m)
  assert.match(stdout, /1 redirect, headers for 0 paths, 1 setting\n$/)
})

test('files of other platforms are read from beside the folder, and what cannot be done is said with its line', async () => {
  const toml =
    '[build]\npublish = "site"\n[build.environment]\nKEY = "secret"\n\n[[redirects]]\nfrom = "/a"\nto = "/b"\n'
  const files = {
    'index.html': 'hi',
    '../netlify.toml': `${toml}[[redirects]]\nfrom = "/api/*"\nto = "https://api.example/:splat"\nstatus = 200\n`,
    'vercel.json': '{"rewrites": [{"source": "/(.*)", "destination": "/index.html"}],\n"crons": []}',
  }
  const { exitCode, stdout } = await check(files)
  assert.equal(exitCode, 1)
  assert.match(stdout, /^netlify\.toml line 9: not used\. .*proxying/m)
  assert.match(stdout, /^vercel\.json line 2: Nothing is run on a schedule/m)
  assert.match(stdout, /2 redirects, headers for 0 paths\n$/)
  const marked = {
    'index.html': 'hi',
    '../vercel.json': '\ufeff{"redirects": [{"source": "/a", "destination": "/b"}]}',
  }
  assert.match((await check(marked)).stdout, /^1 redirect, /m)
  const broken = await check({ 'index.html': 'hi', '../vercel.json': '{' })
  assert.equal(broken.exitCode, 1)
  assert.match(broken.stderr, /vercel\.json cannot be read/)
})

test('a folder without rules has none', async () => {
  const { exitCode, stdout } = await check({ 'index.html': 'hi' })
  assert.deepEqual([exitCode, stdout], [0, '0 redirects, headers for 0 paths\n'])
})

test('lines that cannot be used fail the check, others are warnings', async () => {
  const files = {
    'index.html': 'hi',
    'about.html': 'a',
    _redirects: '/about /x\n/api/* https://x.example/ 200\n',
  }
  const { exitCode, stdout, stderr } = await check(files)
  assert.equal(exitCode, 1)
  assert.match(stdout, /_redirects line 2: not used\. .*proxying/)
  assert.match(stdout, /_redirects line 1: "\/about" is also a file/)
  assert.match(stderr, /1 line cannot be used/)
  const warned = await check({ 'about.html': 'a', _redirects: '/about /x' })
  assert.equal(warned.exitCode, 0)
  const json = JSON.parse((await check(files, 'rules check site --json')).stdout)
  assert.deepEqual([json.redirects, json.headers, json.excess], [1, 0, null])
  assert.deepEqual(
    json.diagnostics.map(({ line, level }: { line: number; level: string }) => [line, level]),
    [
      [2, 'error'],
      [1, 'warning'],
    ],
  )
})

test('rules that lead in circles are listed', async () => {
  const { exitCode, stdout } = await check({
    'index.html': 'hi',
    'about.html': 'a',
    _redirects: '/loop1 /loop2\n/loop2 /loop1\n/about /about/ 301!\n/ /index.html 302!\n/a /b\n/b /about\n',
    'vercel.json': '{"redirects":[{"source":"/vercel","destination":"/loop1"}]}',
  })
  assert.equal(exitCode, 0)
  assert.match(stdout, /^_redirects line 1: It leads in circles: "\/loop1", "\/loop2", "\/loop1"\./m)
  assert.match(stdout, /^_redirects line 3: Its target "\/about\/" leads back to the same address/m)
  assert.match(stdout, /^_redirects line 4: Its target "\/index\.html" leads back/m)
  assert.equal(stdout.split('\n').length, 5)
})

test('what the server would refuse fails the check, and a folder that does not exist is a mistake in the command', async () => {
  const { exitCode, stdout } = await check({ _headers: 'x'.repeat(70_000) })
  assert.equal(exitCode, 1)
  assert.match(stdout, /_headers has 70000 bytes; the limit is 65536/)
  assert.equal((await check({}, 'rules check nowhere')).exitCode, 2)
  assert.equal((await check({}, 'rules chek site')).exitCode, 2)
})
