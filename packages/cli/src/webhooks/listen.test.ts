import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { until } from '@masthead/testing/until.ts'
import { Webhook } from 'standardwebhooks'
import { program } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace, type Workplace } from '../../test/workplace.ts'

const server = serverForFile()
const workplace = () => createWorkplace(server())

interface Told {
  type: string
  data: { projectId: string | null; slug?: string }
}

/** A program on this machine, which verifies what it gets. */
async function openReceiver() {
  const state = { status: 204, secret: '', told: [] as Told[] }
  const http = createServer(async (incoming, outgoing) => {
    const body = await text(incoming)
    const event = new Webhook(state.secret).verify(body, incoming.headers as Record<string, string>)
    state.told.push(event as Told)
    outgoing.writeHead(state.status).end()
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const close = async () => {
    http.closeAllConnections()
    http.close()
    await once(http, 'close')
  }
  return Object.assign(state, { port, close })
}

/** The command, until it is stopped. It asks the server itself: the proxy of the workplace passes no streams. */
async function listen({ path, signedIn }: Workplace, ...args: string[]) {
  const child = spawn(process.execPath, [program, 'webhooks', 'listen', ...args], {
    cwd: path,
    env: { HOME: path, PATH: process.env.PATH, ...signedIn, MASTHEAD_SERVER: server().origin },
  })
  killOnExit(child)
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    said.out += part
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said.err += part
  })
  const closed = once(child, 'close')
  return Object.assign(said, {
    ready: () => until(() => said.err.includes('Listening to')),
    secret: () => /whsec_\S+/.exec(said.err)?.[0] ?? '',
    async stop(): Promise<number | null> {
      child.kill('SIGINT')
      await closed
      return child.exitCode
    },
    async ended(): Promise<number | null> {
      await closed
      return child.exitCode
    },
  })
}

test('new events are forwarded in order and signed, across a restart of the server, until Ctrl-C', async () => {
  await using place = await workplace()
  await place.addProject('before')
  const receiver = await openReceiver()
  const listening = await listen(place, '--forward', String(receiver.port))
  await listening.ready()
  receiver.secret = listening.secret()

  await place.addProject('one')
  await place.addProject('two')
  const slugs = () => receiver.told.map(({ data }) => data.slug)
  await until(() => receiver.told.length === 2)
  assert.deepEqual(slugs(), ['one', 'two'])
  await until(() => /project\.created {2}evt_\w+ {2}two {2}204 in \d+ ms\n/.test(listening.out))

  await server().masthead.kill()
  await until(() => listening.err.includes('Lost the connection'))
  await server().masthead.restart()
  await place.addProject('three')
  await until(() => receiver.told.length === 3)
  assert.deepEqual(slugs(), ['one', 'two', 'three'])
  await until(() => /Connected to \S+ again/.test(listening.err))

  receiver.status = 500
  await place.addProject('four')
  await until(() => / four {2}500 in /.test(listening.out))
  await receiver.close()
  await place.addProject('five')
  await until(() => / five {2}Tried 127\.0\.0\.1:\d+: connection refused\./.test(listening.out))
  assert.equal(await listening.stop(), 0)
  assert.match(listening.err, /Stopped after 5 events\.\n$/)
  assert.equal(listening.err.match(/Lost the connection/g)?.length, 1)
})

test('events are chosen by type and project, and printed as JSON lines', async () => {
  await using place = await workplace()
  await place.addProject('site')
  await place.addProject('other')
  const chosen = await listen(place, '--json', '--events', 'deployment.activated', '--project', 'site')
  const all = await listen(place)
  await all.ready()
  // With --json nothing is said, so an event of its own shows that it listens.
  await until(
    async () => {
      await place.publish('other')
      await place.publish('site')
      return chosen.out.includes('\n')
    },
    { everyMs: 500 },
  )
  await until(() => all.out.includes('deployment.ready'))
  assert.equal(await chosen.stop(), 0)
  assert.equal(await all.stop(), 0)
  const lines = chosen.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told & { id: string })
  const { id } = await place.client.getProject({ params: { project: 'site' } })
  for (const line of lines) {
    assert.match(line.id, /^evt_/)
    assert.equal(line.type, 'deployment.activated')
    assert.equal(line.data.projectId, id)
  }
})

test('a key that is revoked ends it, and what cannot work is refused first', async () => {
  await using place = await workplace()
  const { client } = place
  const { id, secret } = await client.createKey({ body: { name: 'listener', scopes: ['read'] } })
  place.signedIn.MASTHEAD_KEY = secret
  const listening = await listen(place)
  await listening.ready()
  await client.revokeKey({ params: { key: id } })
  // The stream ends with its next heartbeat, or sooner if there is something to read.
  await place.addProject('noticed')
  assert.equal(await listening.ended(), 3)
  const refused = await place.run('webhooks listen --forward ftp://a --events deployment.activatd')
  assert.equal(refused.exitCode, 2)
  assert.match(refused.stderr, /is not an address to forward to/)
  const nowhere = await place.run('webhooks listen --project nowhere', {
    env: { ...place.signedOut, MASTHEAD_KEY: server().account.key },
  })
  assert.equal(nowhere.exitCode, 1)
  assert.match(nowhere.stderr, /no project "?nowhere/)
})
