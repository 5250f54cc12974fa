import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeaderMatcher } from './match-headers.ts'
import { ruleLimits } from './rules.ts'

const path = `/${'part/'.repeat(2_000)}`

function bytesFor(values: readonly string[]): { bytes: number; names: string[] } {
  const rules = values.map((value, at) => ({
    ...{ line: at + 1, from: '/*', unset: [] },
    set: [[`X-${at}`, value] as const],
  }))
  const { set } = new HeaderMatcher(rules).changesFor([path], 'acme.com') ?? {}
  const all = [...(set?.values() ?? [])]
  const bytes = all.reduce((sum, { name, values }) => sum + name.length + values.join().length, 0)
  return { bytes, names: all.map(({ name }) => name) }
}

test('placeholders cannot make a head of many megabytes', () => {
  const many = bytesFor([...Array(500).fill(':splat'), 'plain'])
  assert.ok(many.bytes < 2 * ruleLimits.headersBytes, `${many.bytes} bytes`)
  assert.equal(many.names[0], 'X-0')
  assert.equal(many.names.at(-1), 'X-500')
  assert.deepEqual(bytesFor([':splat '.repeat(1_000), 'plain']).names, ['X-1'])
})
