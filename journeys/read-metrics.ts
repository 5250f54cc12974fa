import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { until } from '@masthead/testing/until.ts'

/** The values of one answer of `/metrics`. */
export class Metrics {
  readonly #values: ReadonlyMap<string, number>
  /** The names of all metrics, also of those that have no value now. */
  readonly names: ReadonlySet<string>

  constructor(text: string) {
    this.names = new Set(Array.from(text.matchAll(/^# TYPE (\w+) /gm), ([, name = '']) => name))
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    this.#values = new Map(
      lines.map((line) => {
        const at = line.lastIndexOf(' ')
        return [line.slice(0, at), Number(line.slice(at + 1))]
      }),
    )
  }

  /** Each metric and its labels, without which process has it. */
  series(): ReadonlySet<string> {
    return new Set(Array.from(this.#values.keys(), withoutProcess))
  }

  /** Of all processes, as a query would add them up. */
  sum(series: string): number {
    const found = [...this.#values].filter(([name]) => withoutProcess(name) === series)
    assert.ok(found.length > 0, `${series} is missing`)
    return found.reduce((sum, [, value]) => sum + value, 0)
  }
}

function withoutProcess(series: string): string {
  return series.replace(/,?edge_process="\d+"/, '').replace('{}', '')
}

/** With those of all edge processes, of which there may be none. */
export async function readMetrics(masthead: MastheadProcess, edges = 0): Promise<Metrics> {
  const key = (await readFile(join(masthead.dataFolder, 'operator.key'), 'utf8')).trim()
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  let metrics = new Metrics('')
  await until(async () => {
    const answer = await fetch(`${masthead.origin}/metrics`, { headers })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    metrics = new Metrics(text)
    return edges === 0 || metrics.sum('masthead_edge_processes_answered') === edges
  })
  return metrics
}
