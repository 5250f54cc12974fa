import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { projectFile, projectFileJsonSchema } from './project-file.ts'

test('the published JSON Schema is up to date with the code', async () => {
  const published = await readFile(new URL('../project-file.schema.json', import.meta.url), 'utf8')
  assert.deepEqual(
    JSON.parse(published),
    JSON.parse(JSON.stringify(projectFileJsonSchema())),
    'run: node packages/contract/write-project-file-schema.ts && npx biome check --write packages/contract',
  )
})

test('the schema declares 2020-12, every member, and rejects others', () => {
  const schema = projectFileJsonSchema() as Record<string, unknown>
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
  assert.equal(schema.additionalProperties, false)
  assert.deepEqual(Object.keys(schema.properties as object), Object.keys(projectFile.shape))
})

test('the schema uses only keywords of 2020-12, so that strict validators accept it', () => {
  assert.deepEqual([...unknownKeywords(projectFileJsonSchema())], [])
  const slip = { properties: { a: { type: 'string', example: 'b' } }, $defs: { example: { maximun: 1 } } }
  assert.deepEqual([...unknownKeywords(slip)], ['example', 'maximun'])
})

test('a redirect without a status is permanent, and domains without redirects have none', () => {
  const redirects = [{ from: 'acme.com', to: 'www.acme.com' }]
  const { domains } = projectFile.parse({ domains: { primary: 'www.acme.com', redirects } })
  assert.deepEqual(domains?.redirects, [{ from: 'acme.com', to: 'www.acme.com', status: 301 }])
  assert.deepEqual(projectFile.parse({ domains: { primary: 'a.com' } }).domains?.redirects, [])
})

/** Those of the vocabularies of 2020-12 that are followed by values, … */
const plain =
  '$schema $id $ref $anchor $comment type enum const default title description examples deprecated readOnly ' +
  'writeOnly format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
  'minItems maxItems uniqueItems minProperties maxProperties required'
/** … by a schema or a list of schemas, … */
const withSchemas =
  'additionalProperties items prefixItems contains propertyNames not if then else anyOf oneOf allOf'
/** … and by schemas under names of their own. */
const withNames = 'properties patternProperties $defs dependentSchemas'
const [plainOnes, schemaOnes, namedOnes] = [plain, withSchemas, withNames].map(
  (words) => new Set(words.split(' ')),
)

function* unknownKeywords(schema: unknown): Generator<string> {
  if (Array.isArray(schema)) for (const one of schema) yield* unknownKeywords(one)
  else if (typeof schema === 'object' && schema !== null) {
    for (const [keyword, value] of Object.entries(schema)) {
      if (namedOnes?.has(keyword)) yield* unknownKeywords(Object.values(value as object))
      else if (schemaOnes?.has(keyword)) yield* unknownKeywords(value)
      else if (!plainOnes?.has(keyword)) yield keyword
    }
  }
}
