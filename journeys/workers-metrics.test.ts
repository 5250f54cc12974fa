import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { until } from '@masthead/testing/until.ts'

const workers = 3
const token = 'a token that may read the metrics'

/** The first of several answers, because a connection may be with a process that is stopped. */
async function askForMetrics({ origin }: MastheadProcess): Promise<string> {
  const answered = new AbortController()
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const ask = async () => {
    const answer = await fetch(`${origin}/metrics`, { headers, signal: answered.signal })
    return { status: answer.status, text: await answer.text() }
  }
  try {
    const { status, text } = await Promise.any(Array.from({ length: 8 }, ask))
    assert.equal(status, 200, text)
    return text
  } finally {
    answered.abort()
  }
}

/** Each series and its value. */
async function readMetrics(masthead: MastheadProcess): Promise<Map<string, number>> {
  const text = await askForMetrics(masthead)
  const families = text.match(/^# TYPE \S+/gm) ?? []
  assert.equal(new Set(families).size, families.length, 'every metric is described once')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      assert.match(line.slice(at + 1), /^([-+\d.e]+|\+Inf|Nan|NaN)$/, line)
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

/** The process ids of all that began to serve, in order. */
function servingEdges({ output }: MastheadProcess): number[] {
  const lines = [...output.matchAll(/"edge":(\d+),"msg":"an edge process is serving"/g)]
  return lines.map((match) => Number(match[1]))
}

/** The numbers of the edge processes that are included. */
function included(metrics: Map<string, number>): number[] {
  const series = /^process_resident_memory_bytes\{edge_process="(\d+)"\}$/
  const numbers = [...metrics.keys()].flatMap((name) => series.exec(name)?.[1] ?? [])
  return numbers.map(Number).toSorted()
}

function connections(metrics: Map<string, number>): number {
  const open = Array.from({ length: workers }, (_, index) =>
    metrics.get(`masthead_edge_connections{port="http",edge_process="${index + 1}"}`),
  )
  return open.reduce<number>((sum, count) => sum + (count ?? 0), 0)
}

test('the metrics of all edge processes are gathered, without those that hang or die', async () => {
  await using masthead = await MastheadProcess.start({
    env: { MASTHEAD_WORKERS: String(workers), MASTHEAD_METRICS_TOKEN: token },
  })
  const [stopped = assert.fail('no process')] = servingEdges(masthead)
  const read = async (isExpected: (metrics: Map<string, number>) => boolean) => {
    let metrics = new Map<string, number>()
    await until(async () => {
      metrics = await readMetrics(masthead)
      return isExpected(metrics)
    })
    return metrics
  }

  using open = new DisposableStack()
  for (let count = 0; count < 20; count++) open.use(await OpenConnection.to(masthead.httpPort))
  const all = await read((metrics) => connections(metrics) >= 20)
  assert.deepEqual(included(all), [1, 2, 3])
  assert.equal(all.get('masthead_edge_processes_answered'), workers)
  for (const name of ['process_resident_memory_bytes', 'process_start_time_seconds']) {
    assert.ok((all.get(name) ?? 0) > 0, `${name} of the main process`)
    for (const number of included(all)) {
      assert.ok((all.get(`${name}{edge_process="${number}"}`) ?? 0) > 0, `${name} of ${number}`)
    }
  }
  assert.ok(all.has('masthead_edge_handshakes_total{result="completed",edge_process="1"}'))

  process.kill(stopped, 'SIGSTOP')
  const some = await read((metrics) => metrics.get('masthead_edge_processes_answered') === workers - 1)
  assert.equal(included(some).length, workers - 1)
  assert.equal(some.get('masthead_edge_processes'), workers, 'it has not ended')
  await read((metrics) => metrics.get('masthead_edge_processes_answered') === workers - 1)

  process.kill(stopped, 'SIGKILL')
  const replaced = await read((metrics) => metrics.get('masthead_edge_processes_answered') === workers)
  assert.deepEqual(included(replaced), [1, 2, 3])
  assert.equal(replaced.get('masthead_edge_process_restarts_total'), 1)
})

test('edge processes that are killed are counted, although they are soon replaced', async () => {
  await using masthead = await MastheadProcess.start({
    env: { MASTHEAD_WORKERS: '2', MASTHEAD_METRICS_TOKEN: token },
  })
  const before = await readMetrics(masthead)
  assert.equal(before.get('masthead_edge_process_restarts_total'), 0)
  for (let kills = 1; kills <= 3; kills++) {
    process.kill(servingEdges(masthead).at(-1) ?? assert.fail('no process'), 'SIGKILL')
    await until(() => servingEdges(masthead).length === 2 + kills)
    const after = await readMetrics(masthead)
    assert.equal(after.get('masthead_edge_process_restarts_total'), kills)
    assert.equal(after.get('masthead_edge_processes'), 2)
    assert.equal(after.get('masthead_edge_processes_configured'), 2)
  }
})
