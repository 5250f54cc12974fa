import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { ended, runAsStranger } from './stranger.ts'

let masthead: MastheadProcess
let home: Awaited<ReturnType<typeof temporaryFolder>>
before(async () => {
  // Several edge processes: they have to forward what the platform's host answers.
  masthead = await MastheadProcess.start({ env: { MASTHEAD_WORKERS: '2' } })
  home = await temporaryFolder('masthead-stranger')
})
after(async () => {
  await masthead.stop()
  await home.remove()
})

const run = (line: string, cwd: string) => runAsStranger(line, { cwd, home: home.path })

/** What a person does in the browser: use the first link, then approve the code that the terminal shows. */
async function approve(code: string): Promise<void> {
  const { origin, firstLink } = masthead
  const token = new URL(firstLink).hash.slice(1)
  const person = { token, name: 'Ada', email: 'ada@example.com', password: 'a long password' }
  const headers = { 'content-type': 'application/json', origin }
  const setUp = await fetch(`${origin}/v1/setup`, { method: 'POST', headers, body: JSON.stringify(person) })
  const cookies = setUp.headers.getSetCookie().map((line) => line.split(';')[0])
  const approved = await fetch(`${origin}/v1/logins/${code}/approve`, {
    method: 'POST',
    headers: { origin, cookie: cookies.join('; ') },
  })
  assert.equal(approved.status, 204, await approved.text())
}

async function visit(url: string): Promise<string> {
  const { host, pathname } = new URL(url)
  const asking = request({ host: '127.0.0.1', port: masthead.httpPort, path: pathname, headers: { host } })
  const [response] = await once(asking.end(), 'response')
  return text(response)
}

test('the two lines that a server prints publish a folder, with only Node.js and npm', async () => {
  const [login = '', deploy = ''] = masthead.output.match(/npx \S+ (?:login|deploy \.\/some-folder)/g) ?? []
  const address = /https?:\S+/.exec(login)?.[0] ?? ''
  await mkdir(join(home.path, 'some-folder'))
  await writeFile(join(home.path, 'some-folder', 'index.html'), 'published by a stranger')

  const version = await ended(run('node --version; command -v masthead || true', home.path))
  assert.match(version.stdout, /^v\d+\.\d+\.\d+\n$/, 'nothing of the checkout is on the PATH')

  const signingIn = run(login, home.path)
  let said = ''
  signingIn.stderr?.setEncoding('utf8').on('data', (chunk) => {
    said += chunk
  })
  const signedIn = ended(signingIn)
  const shown = () => /approve the code (\S+)\n/.exec(said)?.[1] ?? ''
  await until(() => shown() !== '')
  await approve(shown())
  assert.equal((await signedIn).code, 0, said)

  const deployed = await ended(run(deploy, home.path))
  assert.equal(deployed.code, 0, deployed.stderr)
  assert.equal(await visit(deployed.stdout.trim()), 'published by a stranger')

  const wrong = await ended(run(`npx ${address} projcts`, home.path))
  assert.equal(wrong.code, 2)
  assert.ok(wrong.stderr.includes(`Did you mean \`npx ${address} projects\`?`), wrong.stderr)
})

test('the package is what the server says it is, under its address only', async () => {
  const { commandLine } = (await (await fetch(`${masthead.origin}/v1/server`)).json()) as {
    commandLine: { url: string; sha256: string; version: string }
  }
  const answer = await fetch(commandLine.url)
  const archive = Buffer.from(await answer.arrayBuffer())
  assert.equal(createHash('sha256').update(archive).digest('hex'), commandLine.sha256)
  assert.match(answer.headers.get('cache-control') ?? '', /immutable/)
  const older = await fetch(`${masthead.origin}/cli/masthead-0.0.1.tgz`, { redirect: 'manual' })
  assert.equal(new URL(older.headers.get('location') ?? '', masthead.origin).href, commandLine.url)
  assert.doesNotMatch(await visit(`http://hello.masthead.localhost:1/cli/masthead.tgz`), /masthead-\d/)
})

test('where HTTPS is required and signed by the server itself, the root makes npm and the command line trust it', async () => {
  await using strict = await MastheadProcess.start({ env: { MASTHEAD_HTTPS_REDIRECT: 'on' } })
  const address = /npx (\S+) login/.exec(strict.output)?.[1] ?? ''
  assert.match(address, /^https:/)
  const untrusted = await ended(run(`npx ${address} whoami`, home.path))
  assert.notEqual(untrusted.code, 0)
  const { origin } = new URL(address)
  // As the page /cli shows it.
  const lines = [
    `curl --insecure --silent --output masthead-root.pem ${origin}/v1/ca.pem`,
    'export NODE_EXTRA_CA_CERTS="$PWD/masthead-root.pem"',
    `npx ${address} whoami`,
  ]
  const trusted = await ended(run(lines.join('\n'), home.path))
  assert.match(trusted.stderr, new RegExp(`You are not signed in to ${origin}`))
  assert.equal(trusted.code, 3)
})

test('installed globally it is masthead, and one login is all the setup', async () => {
  const { commandLine } = (await (await fetch(`${masthead.origin}/v1/server`)).json()) as {
    commandLine: { url: string }
  }
  const prefix = join(home.path, 'global')
  const installed = await ended(run(`npm install --global --prefix ${prefix} ${commandLine.url}`, home.path))
  assert.equal(installed.code, 0, installed.stderr)
  const { stderr } = await ended(run(`XDG_CONFIG_HOME=${prefix} ${prefix}/bin/masthead projects`, home.path))
  assert.match(stderr, /Run `masthead login http:\/\/localhost:8080`/)
  const listed = await ended(run(`${prefix}/bin/masthead projects`, home.path))
  assert.match(listed.stdout, /^some-folder .* live/m, listed.stderr)
  // Nothing can be written below a file: without a cache of compiled code it starts as well.
  const uncached = await ended(run(`XDG_CACHE_HOME=/dev/null ${prefix}/bin/masthead projects`, home.path))
  const withoutAges = (text: string) => text.replaceAll(/(?:just now|\d+ min ago)$/gm, '')
  assert.equal(withoutAges(uncached.stdout), withoutAges(listed.stdout), uncached.stderr)
})
