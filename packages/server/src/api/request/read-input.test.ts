import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RouteSchemas, routes } from '@masthead/contract/routes.ts'
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

type JsonSchema = z.core.JSONSchema.BaseSchema

/** Values that are wrong in one way or another: some in each field, entry and key that the schema has. */
function* wrongValues(
  node: JsonSchema,
  $defs: Record<string, JsonSchema> = node.$defs ?? {},
): Generator<unknown> {
  yield* [null, true, '', 'a b', 'x\u0001', 'x'.repeat(3_000), -1, 1.5, 1e20, [], [null], {}, { 'a b': 1 }]
  if (node.$ref !== undefined) yield* wrongValues($defs[node.$ref.slice('#/$defs/'.length)] ?? {}, $defs)
  for (const one of node.anyOf ?? []) yield* wrongValues(one as JsonSchema, $defs)
  for (const [name, one] of Object.entries(node.properties ?? {}))
    for (const value of wrongValues(one as JsonSchema, $defs)) yield { [name]: value }
  if (typeof node.additionalProperties === 'object')
    for (const value of wrongValues(node.additionalProperties, $defs)) yield { a: value, 'a b': value }
  if (typeof node.items === 'object' && !Array.isArray(node.items))
    for (const value of wrongValues(node.items, $defs)) yield [value]
}

const words =
  /invalid|expected|received|too (?:big|small)|unrecognized|pattern|\bint\b|\bnan\b|undefined|\[object/i

test('no answer to a wrong input has the words of the validator', async () => {
  let refused = 0
  for (const [name, { body, query }] of Object.entries(routes as Record<string, RouteSchemas>)) {
    for (const [part, one] of Object.entries({ body, query })) {
      if (one === undefined) continue
      for (const value of wrongValues(z.toJSONSchema(one, { io: 'input', unrepresentable: 'any' }))) {
        const result = await outcome(() => readInput(one, value))
        if (!Array.isArray(result) || result[0] !== 'invalid_input') continue
        refused++
        for (const { message } of result[2].errors as { message: string }[]) {
          assert.doesNotMatch(message, words, `${part} of ${name}: ${JSON.stringify(value).slice(0, 200)}`)
        }
      }
    }
  }
  assert.ok(refused > 2_000, String(refused))
})
