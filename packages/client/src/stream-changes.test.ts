import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createClient } from './client.ts'

test('a stream of changes is asked for by the same caller as everything else', async () => {
  const seen: IncomingMessage['headers'][] = []
  const http = createServer((request, response) => {
    seen.push(request.headers)
    if (request.url !== '/v1/stream') return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('event: change\ndata:\n\n')
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const server = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const client = createClient({ server, key: 'mh_key', account: 'acc_1' })
  await client.deleteProject({ params: { project: 'site' } })
  let changes = 0
  for await (const _ of client.streamChanges()) changes++
  http.closeAllConnections()
  await new Promise((closed) => http.close(closed))
  assert.equal(changes, 1)
  assert.deepEqual(
    seen.map((headers) => [headers.authorization, headers['masthead-account']]),
    [
      ['Bearer mh_key', 'acc_1'],
      ['Bearer mh_key', 'acc_1'],
    ],
  )
})
