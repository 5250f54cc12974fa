import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { projectFile, projectFileJsonSchema } from './project-file.ts'

test('the published JSON Schema is that of the code', async () => {
  const published = await readFile(new URL('../project-file.schema.json', import.meta.url), 'utf8')
  assert.deepEqual(
    JSON.parse(published),
    JSON.parse(JSON.stringify(projectFileJsonSchema())),
    'run: node packages/contract/write-project-file-schema.ts && npx biome check --write packages/contract',
  )
})

test('editors are told of 2020-12, of every member, and that others are not known', () => {
  const schema = projectFileJsonSchema() as Record<string, unknown>
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
  assert.equal(schema.additionalProperties, false)
  assert.deepEqual(Object.keys(schema.properties as object), Object.keys(projectFile.shape))
})

test('a redirect without a status is permanent, and domains without redirects have none', () => {
  const redirects = [{ from: 'acme.com', to: 'www.acme.com' }]
  const { domains } = projectFile.parse({ domains: { primary: 'www.acme.com', redirects } })
  assert.deepEqual(domains?.redirects, [{ from: 'acme.com', to: 'www.acme.com', status: 301 }])
  assert.deepEqual(projectFile.parse({ domains: { primary: 'a.com' } }).domains?.redirects, [])
})
