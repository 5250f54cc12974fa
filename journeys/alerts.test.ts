import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { until } from '@masthead/testing/until.ts'
import { readMetrics } from './read-metrics.ts'

const guide = new URL('../docs/operations.md', import.meta.url)
const workers = 2
const firstMeasured = 'masthead_certificates_failing{cause="authority"}'

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
      labels: labels === '' ? [] : labels.split(/,(?=\w+[=!])/),
    }),
  )
}

function selects({ metric, labels }: Selector, series: string): boolean {
  const [name = '', given = ''] = series.split(/[{}]/)
  const values = new Map(Array.from(given.matchAll(/(\w+)="([^"]*)"/g), ([, label, value]) => [label, value]))
  return name === metric && labels.every((label) => accepts(label, values))
}

/** By the operators that the guide uses. */
function accepts(condition: string, values: ReadonlyMap<string | undefined, string | undefined>): boolean {
  const [, label, operator, wanted = ''] = /^(\w+)(=~|!=|=)"([^"]*)"$/.exec(condition) ?? []
  const value = values.get(label)
  if (value === undefined) return false
  if (operator === '=~') return new RegExp(`^(?:${wanted})$`).test(value)
  return operator === '=' ? value === wanted : value !== wanted
}

/** Has values only while a certificate cannot be renewed: `authority-outages.test.ts` looks at them. */
const mayHaveNone = 'masthead_certificates_first_expiry_timestamp_seconds'

test('every metric that the guide names or alerts on exists', async () => {
  const text = await readFile(guide, 'utf8')
  const alerts = alertsIn(sectionOf(text, 'What to alert on'))
  assert.equal(alerts.length, 8)
  await using masthead = await MastheadProcess.start({
    env: { MASTHEAD_WORKERS: String(workers) },
    apiHost: '127.0.0.1',
  })
  // The worker measures some of them from time to time.
  await until(async () => (await readMetrics(masthead)).series().has(firstMeasured))
  const metrics = await readMetrics(masthead, workers)
  const series = [...metrics.series()]
  for (const { name, expression } of alerts) {
    const selectors = selectorsIn(expression)
    assert.ok(selectors.length > 0, `${name} uses no metric`)
    for (const selector of selectors) {
      if (selector.metric === mayHaveNone) continue
      assert.ok(
        series.some((one) => selects(selector, one)),
        `${name}: nothing is selected by ${JSON.stringify(selector)}`,
      )
    }
  }
  const documented = sectionOf(text, 'Metrics').matchAll(/^\| `(masthead_\w+)`/gm)
  for (const [, metric = ''] of documented) {
    if (metric === mayHaveNone) assert.ok(metrics.names.has(metric), `${metric} is missing`)
    else assertShown(metric, series)
  }
})

function assertShown(metric: string, series: readonly string[]): void {
  const found = series.some(
    (one) => one === metric || one.startsWith(`${metric}{`) || one === `${metric}_count`,
  )
  assert.ok(found, `${metric} is documented, but missing`)
}
