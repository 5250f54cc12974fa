import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lintFromString, loadConfig } from '@redocly/openapi-core'
import { openApiDocument } from './openapi.ts'

const config = await loadConfig({ customExtends: ['recommended'] })
const document = openApiDocument({ version: '1.2.3', server: 'https://masthead.example' })

const findings = (checked: object) => lintFromString({ source: JSON.stringify(checked), config })

test('the OpenAPI document is valid, and a linter finds nothing to improve', async () => {
  assert.deepEqual(
    (await findings(document)).map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
    ),
    [],
  )
})

test('the linter sees a missing license, missing descriptions and nonsense', async () => {
  const { license: _, ...info } = document.info as Record<string, unknown>
  const broken = { ...document, info, tags: [{ name: 'Projects' }], paths: 'none' }
  const rules = new Set((await findings(broken)).map(({ ruleId }) => ruleId))
  for (const rule of ['info-license', 'tag-description', 'struct']) assert.ok(rules.has(rule), rule)
})
