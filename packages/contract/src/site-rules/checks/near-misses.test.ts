import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readSiteRules } from '../read-site-rules.ts'
import type { RuleFile } from '../rules.ts'

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')

const waves = (count: number) => '~'.repeat(count)

/** How many texts of patterns are searched for while rules are read. */
function searches(context: TestContext, name: RuleFile, content: string, files: string[] = []): number {
  const { mock } = context.mock.method(String.prototype, 'indexOf')
  const { excess } = readSiteRules(new Map([[name, new TextEncoder().encode(content)]]), () => false, {
    files,
  })
  assert.equal(excess, null)
  const count = mock.calls.filter(({ arguments: [sought = ''] }) => sought.startsWith('~')).length
  mock.restore()
  return count
}

test('rules that hide others are not looked for among thousands of near misses', (context) => {
  const hiding = lines(100, (at) => `/:x~~~~~~-${waves(300 + at)}:y /t`)
  const hidden = lines(100, (at) => `/${waves(1_500 + at)} /t 301!`)
  const count = searches(context, '/_redirects', `${hiding}\n${hidden}`)
  assert.ok(count < 1_000, `${count} searches`)
})

test('paths without a file to protect are not looked for among millions of near misses', (context) => {
  const rules = lines(100, (at) => `/:x~~~${at}-:y\n  Basic-Auth: a:b`)
  const files = Array.from({ length: 1_000 }, (_, at) => `/${`${waves(1_000)}/`.repeat(2)}${at}`)
  const count = searches(context, '/_headers', rules, files)
  assert.ok(count < 100_000, `${count} searches`)
})
