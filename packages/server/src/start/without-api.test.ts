import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Gauge, Registry } from 'prom-client'
import { metricsAccess } from '../kernel/tokens.ts'
import { answerWithoutApi } from './without-api.ts'

const key = 'k'.repeat(32)

async function listen(metrics: Pick<Registry, 'metrics' | 'contentType'>, isLeaving = () => false) {
  const server = createServer(
    answerWithoutApi({ metrics, mayReadMetrics: metricsAccess(key, null), isLeaving }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    async ask(path: string, method = 'GET', authorization = `Bearer ${key}`) {
      const answer = await fetch(origin + path, { method, headers: { authorization } })
      return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a process without the API answers health checks and nothing else', async () => {
  const metrics = new Registry()
  new Gauge({ name: 'something', help: 'Something', registers: [metrics] }).set(3)
  await using listener = await listen(metrics)
  const json = 'application/json; charset=utf-8'
  assert.deepEqual(await listener.ask('/healthz'), { status: 200, type: json, body: '{"status":"ok"}' })
  for (const path of ['/readyz?from=lb', '/readyz/sites', '/readyz/sites?from=lb']) {
    assert.deepEqual(await listener.ask(path), { status: 200, type: json, body: '{"status":"ready"}' })
  }
  assert.deepEqual(await listener.ask('/healthz', 'HEAD'), { status: 200, type: json, body: '' })
  assert.match((await listener.ask('/metrics')).body, /^something 3$/m)
  assert.equal((await listener.ask('/metrics', 'GET', 'Bearer guess')).status, 401)
  for (const path of ['/', '/v1/server', '/healthz/', '/toString', '/__proto__']) {
    assert.equal((await listener.ask(path)).status, 404, path)
  }
  assert.equal((await listener.ask('/healthz', 'POST')).status, 404)
})

test('metrics that cannot be read get an error, not a hanging request', async () => {
  const { contentType } = new Registry()
  const metrics = { contentType, metrics: () => Promise.reject(new Error('broken')) }
  await using listener = await listen(metrics)
  const { status, body } = await listener.ask('/metrics')
  assert.equal(status, 500)
  assert.doesNotMatch(body, /broken/)
})

test('a process without the API that is about to stop is not ready, but alive', async () => {
  await using listener = await listen(new Registry(), () => true)
  assert.equal((await listener.ask('/readyz')).status, 503)
  assert.equal((await listener.ask('/readyz/sites')).status, 503)
  assert.equal((await listener.ask('/healthz')).status, 200)
})
