import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { endpoints } from '@masthead/contract/endpoints.ts'
import { problems } from '@masthead/contract/problems.ts'
import { projectFileJsonSchema } from '@masthead/contract/project-file.ts'
import { nobody, onEachApi } from '../api.test-kit.ts'

interface Document {
  openapi: string
  paths: Record<string, Record<string, { operationId: string }>>
}

type Validate = (document: unknown) => Promise<{ valid: boolean; errors?: unknown }>

/** The validator of a package for reference pages. */
async function openApiValidator(): Promise<Validate> {
  const reference = createRequire(import.meta.resolve('@scalar/fastify-api-reference'))
  const parser = await import(pathToFileURL(reference.resolve('@scalar/openapi-parser')).href)
  return parser.validate
}

onEachApi('the reference', (test) => {
  test('is a valid OpenAPI 3.1 document with every endpoint', async (api) => {
    const { body } = await api.send<Document>('GET /v1/openapi.json', nobody)
    assert.match(body.openapi, /^3\.1\./)
    const validate = await openApiValidator()
    const { valid, errors } = await validate(body)
    assert.deepEqual(errors ?? [], [])
    assert.equal(valid, true)
    const described = Object.entries(body.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${path}`,
      ]),
    )
    const wanted = Object.entries(endpoints).map(([name, { route }]) => [name, route])
    assert.deepEqual(described.sort(), wanted.sort())
    assert.equal((await validate({ ...body, paths: 'none' })).valid, false, 'the validator sees nonsense')
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
