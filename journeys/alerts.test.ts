import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { readMetrics } from './read-metrics.ts'

const guide = new URL('../docs/operations.md', import.meta.url)
const workers = 2

/** What the guide says from one heading to the next. */
function sectionOf(text: string, heading: string): string {
  const start = text.indexOf(`\n## ${heading}\n`)
  assert.notEqual(start, -1, `${heading} is missing`)
  return text.slice(start, text.indexOf('\n## ', start + 1))
}

/** Each with its condition, of one or several lines. */
function alertsIn(section: string): { name: string; expression: string }[] {
  const rules = section.matchAll(/- alert: (\w+)\n +expr: ([\s\S]*?)(?=\n +for:|\n +- alert:|\n```)/g)
  return Array.from(rules, ([, name = '', expression = '']) => ({ name, expression }))
}

interface Selector {
  metric: string
  labels: string[]
}

function selectorsIn(expression: string): Selector[] {
  return Array.from(
    expression.matchAll(/(masthead_\w+)(?:\{([^}]*)\})?/g),
    ([, metric = '', labels = '']) => ({
      metric,
      labels: labels.split(',').filter(Boolean),
    }),
  )
}

function selects({ metric, labels }: Selector, series: string): boolean {
  const [name = '', given = ''] = series.split(/[{}]/)
  return name === metric && labels.every((label) => given.split(',').includes(label))
}

test('every metric that the guide names or alerts on exists', async () => {
  const text = await readFile(guide, 'utf8')
  const alerts = alertsIn(sectionOf(text, 'What to alert on'))
  assert.equal(alerts.length, 6)
  await using masthead = await MastheadProcess.start({
    env: { MASTHEAD_WORKERS: String(workers) },
    apiHost: '127.0.0.1',
  })
  const series = [...(await readMetrics(masthead, workers)).series()]
  for (const { name, expression } of alerts) {
    const selectors = selectorsIn(expression)
    assert.ok(selectors.length > 0, `${name} uses no metric`)
    for (const selector of selectors) {
      assert.ok(
        series.some((one) => selects(selector, one)),
        `${name}: nothing is selected by ${JSON.stringify(selector)}`,
      )
    }
  }
  const documented = sectionOf(text, 'Metrics').matchAll(/^\| `(masthead_\w+)`/gm)
  for (const [, metric = ''] of documented) {
    const found = series.some(
      (one) => one === metric || one.startsWith(`${metric}{`) || one === `${metric}_count`,
    )
    assert.ok(found, `${metric} is documented, but missing`)
  }
})
