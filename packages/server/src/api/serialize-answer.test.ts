import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints } from '@masthead/contract/endpoints.ts'
import { type RouteSchemas, routes } from '@masthead/contract/routes.ts'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import fc from 'fast-check'
import Fastify, { type FastifyReply } from 'fastify'
import { z } from 'zod'
import { answerSerializer, serializationSchema } from './serialize-answer.ts'

interface Shape {
  type?: string
  nullable?: boolean
  properties?: Record<string, Shape>
  required?: string[]
  additionalProperties?: Shape | false
  items?: Shape
}

/** Values of this shape, and the same with further fields in every object. */
function valuesOf(shape: Shape): fc.Arbitrary<{ plain: unknown; more: unknown }> {
  const values = plainValuesOf(shape)
  return shape.nullable === true ? fc.oneof(fc.constant({ plain: null, more: null }), values) : values
}

function plainValuesOf({ type, properties = {}, required = [], additionalProperties, items }: Shape) {
  const same = (values: fc.Arbitrary<unknown>) => values.map((plain) => ({ plain, more: plain }))
  switch (type) {
    case 'object': {
      if (additionalProperties) {
        const value = valuesOf(additionalProperties)
        const named = fc.record(Object.fromEntries(required.map((key) => [key, value])))
        return fc
          .tuple(fc.dictionary(text, value, { maxKeys: 3 }), named)
          .map(([others, these]) => split({ ...others, ...these }))
      }
      const fields = Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, valuesOf(one)]))
      return fc
        .record(fields, { requiredKeys: required })
        .map(split)
        .map(({ plain, more }) => ({ plain, more: { password_hash: 'secret', ...more, zz: { a: 1 } } }))
    }
    case 'array':
      return fc
        .array(valuesOf(items ?? {}), { maxLength: 3 })
        .map((all) => ({ plain: all.map(({ plain }) => plain), more: all.map(({ more }) => more) }))
    case 'string':
      return same(text)
    case 'boolean':
      return same(fc.boolean())
    case 'integer':
    case 'number':
      return same(fc.integer())
    default:
      return same(fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))))
  }
}

const text = fc.string({ unit: anyCharacter, maxLength: 60 }).filter((one) => one !== '__proto__')

function split(fields: Record<string, { plain: unknown; more: unknown }>) {
  const pick = (kind: 'plain' | 'more') =>
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value[kind]]))
  return { plain: pick('plain'), more: pick('more') }
}

async function anyReply(use: (reply: FastifyReply) => void): Promise<void> {
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) => {
    thrown = error
    return reply.send('')
  })
  let thrown: unknown = null
  app.get('/', async (_request, reply) => {
    use(reply)
    return ''
  })
  await app.inject('/')
  await app.close()
  if (thrown !== null) throw thrown
}

test('every answer of the contract is written with all of its fields and no others', async () => {
  const answers = Object.entries(routes).flatMap(([name, { answer }]: [string, RouteSchemas]) =>
    answer === undefined || 'answers' in endpoints[name as keyof typeof endpoints] ? [] : [{ name, answer }],
  )
  assert.ok(answers.length > 40)
  await anyReply((reply) => {
    for (const { name, answer } of answers) {
      const serialize = answerSerializer(answer)
      fc.assert(
        fc.property(valuesOf(serializationSchema(answer)), ({ plain, more }) => {
          assert.deepEqual(JSON.parse(serialize(reply, more)), plain, name)
        }),
        { numRuns: 25 },
      )
    }
  })
})

test('an answer without a required field fails, and one of several shapes is refused when it is declared', async () => {
  await anyReply((reply) => {
    assert.throws(() => answerSerializer(z.object({ id: z.string() }))(reply, {}), /id/)
    assert.throws(
      () => answerSerializer(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]))(reply, {}),
      /several shapes/,
    )
  })
})
