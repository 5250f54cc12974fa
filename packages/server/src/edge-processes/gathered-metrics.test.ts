import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { GatheredMetrics, type ProcessMetrics } from './gathered-metrics.ts'

/** As an edge process sends them. */
async function edgeMetrics(count: number): Promise<ProcessMetrics> {
  const registers = [new Registry()]
  new Counter({ name: 'requests_total', help: 'Requests', labelNames: ['port'], registers }).inc(
    { port: 'http' },
    count,
  )
  new Gauge({ name: 'lag', help: 'Not measured yet', aggregator: 'omit', registers }).set(Number.NaN)
  const durations = new Histogram({ name: 'durations', help: 'Durations', buckets: [1], registers })
  durations.observe(count)
  return JSON.parse(JSON.stringify(await registers[0]?.getMetricsAsJSON()))
}

test('values of edge processes are told apart by a label, and nothing is left out', async () => {
  const gathered = new GatheredMetrics()
  new Gauge({ name: 'lag', help: 'Not measured yet', aggregator: 'omit', registers: [gathered.own] }).set(7)
  const alone = await gathered.metrics()
  assert.match(alone, /^lag 7$/m)
  const edges = new Map([
    [1, await edgeMetrics(1)],
    [2, await edgeMetrics(2)],
  ])
  gathered.addEdges(async () => edges)
  const lines = (await gathered.metrics()).split('\n')
  for (const line of [
    'lag 7',
    'lag{edge_process="1"} Nan',
    'requests_total{port="http",edge_process="1"} 1',
    'requests_total{port="http",edge_process="2"} 2',
    'durations_bucket{le="1",edge_process="1"} 1',
    'durations_bucket{le="1",edge_process="2"} 0',
    'durations_count{edge_process="2"} 1',
  ]) {
    assert.ok(lines.includes(line), `${line} is missing in ${lines.join('\n')}`)
  }
  assert.equal(lines.filter((line) => line.startsWith('# TYPE lag ')).length, 1)
  edges.clear()
  assert.equal(await gathered.metrics(), alone)
})
