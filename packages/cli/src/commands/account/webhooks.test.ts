import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Delivery, Webhook } from '@masthead/contract/schemas/webhook.ts'
import { until } from '@masthead/testing/until.ts'
import { Webhook as Verifier } from 'standardwebhooks'
import { serverForFile } from '../../../test/test-server.ts'
import { createWorkplace } from '../../../test/workplace.ts'

const server = serverForFile()
const workplace = () => createWorkplace(server())

/** A program of a customer, which verifies what it gets. */
async function openEndpoint() {
  const received: string[] = []
  let verifier: Verifier | null = null
  const http = createServer(async (incoming, outgoing) => {
    const body = await text(incoming)
    const event = verifier?.verify(body, incoming.headers as Record<string, string>) as { type: string }
    received.push(event.type)
    outgoing.end('thanks')
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/hook`,
    received,
    trust(secret: string) {
      verifier = new Verifier(secret)
    },
    async [Symbol.asyncDispose]() {
      http.close()
      await once(http, 'close')
    },
  }
}

test('a webhook is added, tested, looked at, paused, enabled, rotated and removed', async () => {
  await using place = await workplace()
  await using endpoint = await openEndpoint()
  const run = async (args: string) => {
    const { exitCode, stdout, stderr } = await place.run(args)
    assert.equal(exitCode, 0, stderr)
    return { stdout: stdout.trim(), stderr }
  }
  assert.match((await run('webhooks')).stderr, /No webhooks yet/)
  const added = await run(`webhooks add ${endpoint.url} --events project.created`)
  assert.match(added.stdout, /^whsec_/)
  endpoint.trust(added.stdout)
  const [webhook] = JSON.parse((await run('webhooks --json')).stdout) as Webhook[]
  assert.deepEqual(webhook?.events, ['project.created'])
  const id = webhook?.id

  await place.addProject('told')
  await until(() => endpoint.received.includes('project.created'))
  await run(`webhooks test ${id}`)
  await until(() => endpoint.received.includes('webhook.test'))
  let deliveries: Delivery[] = []
  await until(async () => {
    deliveries = JSON.parse((await run(`webhooks deliveries ${id} --json`)).stdout)
    return deliveries.every(({ state }) => state === 'delivered')
  })
  assert.match((await run(`webhooks deliveries ${id}`)).stdout, /project\.created +delivered +200 in /)
  await run(`webhooks resend ${id} ${deliveries.at(-1)?.id}`)
  await until(() => endpoint.received.filter((type) => type === 'project.created').length === 2)

  assert.match((await run(`webhooks pause ${id}`)).stderr, /masthead webhooks enable/)
  assert.match((await run('webhooks')).stdout, /disabled: someone paused it/)
  await run(`webhooks enable ${id}`)
  const rotated = await run(`webhooks rotate ${id}`)
  assert.match(rotated.stdout, /^whsec_/)
  assert.notEqual(rotated.stdout, added.stdout)
  await run(`webhooks remove ${id} --yes`)
  assert.match((await run('webhooks')).stderr, /No webhooks yet/)
})

test('what cannot be meant is named, and nothing is asked of the server', async () => {
  await using place = await workplace()
  for (const [args, said] of [
    ['webhooks ad https://a.example', /Did you mean `masthead webhooks add`/],
    ['webhooks add', /URL is missing/],
    ['webhooks add https://a.example --events project.craeted', /Did you mean project\.created\?/],
    ['webhooks add https://a.example --format telegram', /Use standard, slack, discord/],
    ['webhooks test 7', /"7" is not the ID of a webhook/],
    ['webhooks list --format slack', /no option --format/],
    ['webhooks resend whk_1', /DELIVERY is missing/],
  ] as const) {
    const { exitCode, stderr } = await place.run(args)
    assert.equal(exitCode, 2, args)
    assert.match(stderr, said)
  }
  assert.deepEqual(place.proxy.called, [])
})
