import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { registerEdgeMetrics } from './serve-sites.ts'

test('metrics report the current connections and handshakes', async () => {
  const metrics = new Registry()
  const refused = { unknown: 3, unavailable: 0, malformed: 1 }
  const handshakes = { completed: 7, validated: 1, failed: 2, refused }
  const open = { http: 1, https: 2 }
  registerEdgeMetrics(metrics, {
    http: { connections: () => open.http, refused: () => 0 },
    https: { connections: () => open.https, refused: () => 4, handshakes },
  })
  const told = async (line: string) => assert.ok((await metrics.metrics()).split('\n').includes(line), line)
  await told('masthead_edge_connections{port="https"} 2')
  await told('masthead_edge_connections_refused_total{port="https"} 4')
  await told('masthead_edge_handshakes_total{result="unknown"} 3')
  open.http = 5
  handshakes.completed = 8
  await told('masthead_edge_connections{port="http"} 5')
  await told('masthead_edge_handshakes_total{result="completed"} 8')
})
