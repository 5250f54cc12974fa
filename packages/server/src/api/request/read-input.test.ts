import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import { Problem } from '../../kernel/problem.ts'
import { readBody, readInput } from './read-input.ts'

const schema = z.object({
  files: z.record(z.string().min(1).max(5), z.strictObject({ size: z.number().int().min(0) })),
  note: z.string().optional(),
})
const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => [`/${from + index}`, { size: index }])

/** What a reader returns, or the problem it throws. */
async function outcome(read: () => unknown): Promise<unknown> {
  try {
    return await read()
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return [error.code, error.message, error.extra]
  }
}

test('a record of thousands of entries is read as one of a few is', async () => {
  const someKey = fc.oneof(fc.constantFrom('/a', 'toolong', '', '__proto__', 'constructor'), fc.string())
  const someValue = fc.oneof(
    fc.record({ size: fc.oneof(fc.integer(), fc.double()) }),
    fc.constantFrom(null, {}, { size: 1, more: 2 }, { size: '1' }, [], 'x', { __proto__: null, size: 3 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(someKey, someValue), { maxLength: 4 }), async (odd) => {
      const entries = [...many(1000, 600), ...odd, ...many(2000, 700)]
      // Parsed, because JSON can have an own key of any name.
      const value = JSON.parse(
        `{"files":{${entries.map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`).join()}}}`,
      )
      const expected = await outcome(() => readInput(schema, value))
      assert.deepEqual(await outcome(() => readBody(schema, value)), expected)
    }),
    { numRuns: 60 },
  )
})

test('what is wrong in any part of it is named by its key', async () => {
  const files = Object.fromEntries([...many(0, 1200), ['/bad', { size: -1 }]])
  await assert.rejects(readBody(schema, { files }), (error: Problem) => {
    assert.match(error.message, /files\.\/bad\.size must be at least 0/)
    return true
  })
})
