import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startChromium } from '@masthead/testing/peers/chromium.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { requiredRecord } from './tenant.ts'

const program = fileURLToPath(new URL('../packages/cli/bin/masthead.js', import.meta.url))

const name = 'www.acme.localhost'
const projectFile = 'project: acme\nfolder: dist\n'
const domainsMember = `
domains:
  primary: ${name}
  redirects:
    - from: acme.masthead.localhost
      to: ${name}
      status: 308
`

test('the lab: a domain is added, set, verified, opened, redirected to and removed, offline', {
  skip: skipWithout('chromium'),
}, async () => {
  const labPort = String(await freeDnsPort('127.0.0.1'))
  await using masthead = await MastheadProcess.start({ env: { MASTHEAD_LAB_PORT: labPort } })
  await using home = await temporaryFolder('masthead-lab')
  await mkdir(join(home.path, 'dist'))
  await writeFile(join(home.path, 'dist', 'index.html'), '<!doctype html><h1>Acme at home</h1>')
  await writeFile(join(home.path, 'dist', 'about.html'), '<!doctype html><h1>About Acme</h1>')
  await writeFile(join(home.path, 'masthead.yaml'), projectFile)
  const { key } = await createPublisher(masthead)
  const env = { PATH: process.env.PATH, HOME: home.path, MASTHEAD_SERVER: masthead.origin, MASTHEAD_KEY: key }
  /** The output of the CLI, including progress. */
  const run = async (...words: string[]) => {
    const done = await promisify(execFile)(process.execPath, [program, ...words], { cwd: home.path, env })
    return done.stdout + done.stderr
  }
  const origin = `http://${name}:${masthead.httpPort}`

  await run('deploy')
  assert.match(await run('domains', 'add', name), /masthead lab set www\.acme\.localhost CNAME \S+/)
  const added = JSON.parse(await run('domains', 'show', name, '--json')) as Domain
  assert.equal((await visitHost(masthead, name)).status, 404)
  await run('lab', 'set', name, 'CNAME', requiredRecord(added, 'CNAME'))
  assert.match(await run('domains', 'verify', name), /Verified|Live/)

  await using browser = await startChromium()
  const page = await browser.context.newPage()
  await page.goto(origin)
  await page.getByRole('heading', { name: 'Acme at home' }).waitFor()

  await writeFile(join(home.path, 'masthead.yaml'), projectFile + domainsMember)
  assert.match(await run('deploy'), /Applied\./)
  await page.goto(`http://acme.masthead.localhost:${masthead.httpPort}/about?from=a%20friend`)
  await page.getByRole('heading', { name: 'About Acme' }).waitFor()
  assert.equal(page.url(), `${origin}/about?from=a%20friend`)

  using connection = await OpenConnection.to(masthead.httpPort)
  assert.equal((await connection.ask(name)).status, 200)
  assert.match(await run('domains', 'remove', name, '--yes'), /Removed www\.acme\.localhost/)
  assert.equal((await connection.ask(name)).status, 404)
  await page.goto(origin)
  await page.getByText('No site is published at www.acme.localhost.').waitFor()
  // The default subdomain, which redirected to it, shows the site again.
  assert.equal((await visitHost(masthead, 'acme.masthead.localhost', '/about')).status, 200)
})
