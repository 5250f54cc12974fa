import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { programEnvironment } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'

const program = fileURLToPath(new URL('../packages/cli/bin/masthead.js', import.meta.url))
const wildcard = '*.acme.localhost'

test('a wildcard goes live with the commands it shows, covers every name below it, and stops for all at once', {
  timeout: 300_000,
}, async () => {
  const labPort = String(await freeDnsPort('127.0.0.1'))
  await using masthead = await MastheadProcess.start({ env: { MASTHEAD_LAB_PORT: labPort } })
  await using home = await temporaryFolder('masthead-wildcard')
  const { key, createProject, publishArchive } = await createPublisher(masthead)
  for (const slug of ['tenants', 'handbook']) {
    await createProject(slug)
    await publishArchive(slug, tarGz({ 'index.html': `this is ${slug}` }))
  }
  const env = { ...programEnvironment, HOME: home.path, MASTHEAD_SERVER: masthead.origin, MASTHEAD_KEY: key }
  const run = async (...words: string[]) => {
    const command = [program, ...words]
    const done = await promisify(execFile)(process.execPath, command, { cwd: home.path, env })
    return done.stdout + done.stderr
  }
  const here = ['--project', 'tenants']
  const statusAt = async (name: string) => (await visitHost(masthead, name)).status

  const added = await run('domains', 'add', "'*.ACME.localhost'", ...here)
  // As a shell would run them.
  const commands = [...added.matchAll(/^ +masthead (lab set .*)$/gm)].map(([, line = '']) =>
    line.split(' ').map((word) => word.replace(/^"(.*)"$/, '$1')),
  )
  assert.deepEqual(
    commands.map(([, , name, type]) => `${name} ${type}`),
    ['*.acme.localhost CNAME', '_masthead-challenge.acme.localhost TXT'],
    added,
  )
  assert.equal(await statusAt('shop.acme.localhost'), 404)
  for (const command of commands) await run(...command)
  assert.match(await run('domains', 'verify', wildcard, ...here), /Verified|Live/)
  const show = async () => JSON.parse(await run('domains', 'show', wildcard, '--json', ...here)) as Domain
  await until(async () => (await show()).state === 'live')
  assert.deepEqual([(await show()).kind, (await show()).proof?.by], ['wildcard', 'account'])

  const root = await (await fetch(`${masthead.origin}/v1/ca.pem`)).text()
  const secure = (name: string) => OpenConnection.securelyTo(masthead.httpsPort, name, root)
  using shop = await secure('shop.acme.localhost')
  using docs = await secure('docs.acme.localhost')
  assert.equal((await shop.ask('shop.acme.localhost')).body, 'this is tenants')
  assert.equal((await docs.ask('docs.acme.localhost')).body, 'this is tenants')
  await assert.rejects(secure('a.shop.acme.localhost'))
  await assert.rejects(secure('acme.localhost'))
  assert.match(await run('rules', 'explain', 'https://shop.acme.localhost/'), /tenants/)

  // An exact name wins, over the open connection too.
  await run('domains', 'add', 'docs.acme.localhost', '--project', 'handbook')
  await run('domains', 'verify', 'docs.acme.localhost', '--project', 'handbook')
  assert.equal((await docs.ask('docs.acme.localhost')).body, 'this is handbook')
  assert.equal((await shop.ask('shop.acme.localhost')).body, 'this is tenants')

  assert.match(await run('domains', 'remove', wildcard, '--yes', ...here), /Removed \*\.acme\.localhost/)
  assert.equal((await shop.ask('shop.acme.localhost')).status, 404)
  await assert.rejects(secure('other.acme.localhost'))
  const socket = connect({
    host: '127.0.0.1',
    port: masthead.httpsPort,
    servername: 'docs.acme.localhost',
    ca: root,
  })
  await once(socket, 'secureConnect')
  socket.destroy()
  assert.equal((await docs.ask('docs.acme.localhost')).body, 'this is handbook')
})
