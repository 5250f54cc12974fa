import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { openApiDocument } from './openapi.ts'

test('a linter finds nothing to improve in the OpenAPI document', async () => {
  const source = JSON.stringify(openApiDocument({ version: '1.2.3', server: 'https://masthead.example' }))
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, config })
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
    [],
  )
})

test('and would: a document without a license and descriptions has findings', async () => {
  const document = openApiDocument({ version: '1', server: 'https://masthead.example' })
  const { license: _, ...info } = document.info as Record<string, unknown>
  const source = JSON.stringify({ ...document, info, tags: [{ name: 'Projects' }] })
  const problems = await lintFromString({ source, config: await createConfig({ extends: ['recommended'] }) })
  const rules = new Set(problems.map(({ ruleId }) => ruleId))
  assert.deepEqual([...rules].sort(), ['info-license', 'tag-description'])
})
