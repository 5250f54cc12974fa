import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { program, runMasthead } from '../test/run-masthead.ts'

/** What a person does in the browser: use the first link, then approve the code that the command line shows. */
async function approveInBrowser(masthead: MastheadProcess, code: string): Promise<void> {
  const headers = { 'content-type': 'application/json', origin: masthead.origin }
  const token = new URL(masthead.firstLink).hash.slice(1)
  const person = { token, name: 'Ada', email: 'ada@example.com', password: 'a long password' }
  const setUp = await fetch(`${masthead.origin}/v1/setup`, {
    method: 'POST',
    headers,
    body: JSON.stringify(person),
  })
  assert.equal(setUp.status, 201, await setUp.text())
  const cookie = setUp.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const approved = await fetch(`${masthead.origin}/v1/logins/${code}/approve`, {
    method: 'POST',
    headers: { origin: masthead.origin, cookie },
  })
  assert.equal(approved.status, 204, await approved.text())
}

/** The page at an address under the platform domain, whose names only browsers resolve by themselves. */
async function visit(masthead: MastheadProcess, url: string): Promise<string> {
  const { host, pathname } = new URL(url)
  const asking = request({
    host: '127.0.0.1',
    port: masthead.httpPort,
    path: pathname,
    headers: { host },
  }).end()
  const [response] = await once(asking, 'response')
  return text(response)
}

test('a person signs in, publishes, publishes again, previews and rolls back', async () => {
  await using masthead = await MastheadProcess.start()
  await using home = await temporaryFolder('masthead-walk')
  const write = (name: string, content: string) => writeFile(join(home.path, 'some-folder', name), content)
  await mkdir(join(home.path, 'some-folder'))
  await write('index.html', 'first')
  await write('about.html', 'about')
  const env = { MASTHEAD_SERVER: masthead.origin }
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await runMasthead(args, { cwd: home.path, env })
    assert.equal(exitCode, 0, stderr)
    return stdout.trim()
  }

  const login = spawn(process.execPath, [program, 'login'], {
    env: { ...env, PATH: process.env.PATH, HOME: home.path, XDG_CONFIG_HOME: join(home.path, '.config') },
  })
  let said = ''
  for await (const chunk of login.stderr.setEncoding('utf8')) {
    said += chunk
    const code = /approve the code (\S+)\n/.exec(said)?.[1]
    if (code === undefined) continue
    await approveInBrowser(masthead, code)
    break
  }
  assert.deepEqual((await once(login, 'close'))[0], 0, said)
  assert.match(await run('whoami'), /Account +/)

  const url = await run('deploy', './some-folder')
  assert.equal(new URL(url).hostname, 'some-folder.masthead.localhost')
  assert.equal(await visit(masthead, url), 'first')

  await write('index.html', 'second')
  const second = JSON.parse(await run('deploy', './some-folder', '--json'))
  assert.deepEqual([second.files, second.uploaded, second.skipped], [2, 1, 1])
  assert.equal(await visit(masthead, url), 'second')

  await write('index.html', 'third')
  const preview = await run('deploy', './some-folder', '--no-activate')
  assert.equal(await visit(masthead, preview), 'third')
  assert.equal(await visit(masthead, url), 'second')

  assert.equal(await run('rollback', '--project', 'some-folder'), url)
  assert.equal(await visit(masthead, url), 'first')
  assert.match(await run('deployments', 'some-folder'), /ready.*\n.*ready.*\n.*live/)
  assert.match(await run('projects'), /^some-folder +http\S+ +live/m)

  const secret = await run('keys', 'create', 'ci', '--scope', 'read,deploy', '--expires', '90d')
  const withKey = { cwd: join(home.path, 'some-folder'), env: { ...env, MASTHEAD_KEY: secret } }
  assert.equal((await runMasthead(['deploy', '--quiet'], withKey)).stdout.trim(), url)
  const denied = await runMasthead(['keys'], withKey)
  assert.equal(denied.exitCode, 3)
})
