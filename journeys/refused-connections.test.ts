import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { until } from '@masthead/testing/until.ts'
import { readMetrics } from './read-metrics.ts'

test('a flood of connections leaves a line in the log, with how many were refused', async () => {
  await using masthead = await MastheadProcess.start({
    under: ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh'],
    apiHost: '127.0.0.1',
  })
  const floods = Array.from({ length: 200 }, () =>
    connect({ host: '127.0.0.1', port: masthead.httpPort, localAddress: '127.0.1.1' }).on('error', () => {}),
  )
  try {
    await Promise.all(floods.map((socket) => once(socket, 'connect').catch(() => {})))
    await until(() => masthead.output.includes('connections were refused'))
    const line = masthead.output.split('\n').find((text) => text.includes('connections were refused')) ?? ''
    const { level, refused, connectionsPerPort } = JSON.parse(line)
    assert.equal(level, 40)
    assert.equal(connectionsPerPort, 48)
    assert.ok(refused > 0 && refused <= 200, line)
    const metrics = await readMetrics(masthead)
    assert.ok(metrics.sum('masthead_edge_connections_refused_total{port="http"}') >= refused)
  } finally {
    for (const socket of floods) socket.destroy()
  }
})
