import assert from 'node:assert/strict'
import { endpoints } from '@masthead/contract/endpoints.ts'
import { problems } from '@masthead/contract/problems.ts'
import { projectFileJsonSchema } from '@masthead/contract/project-file.ts'
import { nobody, onEachApi } from '../api.test-kit.ts'

interface Document {
  openapi: string
  paths: Record<string, Record<string, { operationId: string }>>
}

onEachApi('the reference', (test) => {
  test('is an OpenAPI 3.1 document with every endpoint', async (api) => {
    const { body } = await api.send<Document>('GET /v1/openapi.json', nobody)
    assert.match(body.openapi, /^3\.1\./)
    const described = Object.entries(body.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${path}`,
      ]),
    )
    const wanted = Object.entries(endpoints).map(([name, { route }]) => [name, route])
    assert.deepEqual(described.sort(), wanted.sort())
  })

  test('gives editors the schema of masthead.json', async (api) => {
    const { status, headers, body } = await api.send<object>('GET /schemas/masthead.json', nobody)
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^application\/schema\+json/)
    assert.deepEqual(body, projectFileJsonSchema())
  })

  test('explains every error at the URL that problems link to', async (api) => {
    const page = await api.send('GET /docs/errors', nobody)
    assert.equal(page.status, 200)
    const ids = new Set([...page.text.matchAll(/ id="(\w+)"/g)].map(([, id]) => id))
    assert.deepEqual(
      Object.keys(problems).filter((code) => !ids.has(code)),
      [],
    )
  })
})
