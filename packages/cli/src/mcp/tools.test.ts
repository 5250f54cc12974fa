import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints } from '@masthead/contract/endpoints.ts'
import { type RouteSchemas, routes } from '@masthead/contract/routes.ts'
import { scopeNames } from '@masthead/contract/scopes.ts'
import { z } from 'zod'
import { endpointTools, requestParts } from './tools.ts'

const everything = endpointTools(new Set(scopeNames))

test('no argument of a path, a query or a body has the name of another', () => {
  for (const { endpoint, input } of everything) {
    const inPath = Array.from(endpoints[endpoint].route.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
    const { query, body }: RouteSchemas = routes[endpoint]
    const inQuery = query instanceof z.ZodObject ? Object.keys(query.shape) : []
    const inBody = body instanceof z.ZodObject ? ['body'] : []
    assert.deepEqual(Object.keys(input.shape), [...inPath, ...inQuery, ...inBody], endpoint)
  }
})

test('every tool has a name of its own and a schema that can be told', () => {
  assert.equal(new Set(everything.map(({ name }) => name)).size, everything.length)
  for (const { name, input } of everything) {
    assert.match(name, /^[a-z]+(_[a-z]+)*$/)
    assert.equal(z.toJSONSchema(input, { io: 'input' }).type, 'object')
  }
})

test('secrets, sessions, uploads and what operators do are never offered', () => {
  const names = everything.map(({ endpoint }) => endpoint)
  for (const name of [
    ...['createKey', 'createInvitation', 'createPasswordReset', 'deleteAccount', 'signIn', 'getSession'],
    ...['createDeployment', 'putFile', 'putFiles', 'streamChanges', 'listAccounts', 'takeDownSite'],
  ]) {
    assert.ok(!names.includes(name as never), name)
  }
})

test('a person is asked before every change that is not listed here as one that can be taken back', () => {
  const changes = everything.filter(({ readOnly, endpoint }) => {
    const { route } = endpoints[endpoint]
    return !readOnly && !route.startsWith('GET ')
  })
  assert.deepEqual(
    changes.filter(({ asksFirst }) => !asksFirst).map(({ endpoint }) => endpoint),
    [
      ...['renameAccount', 'testWebhook', 'resendDelivery'],
      ...['createProject', 'restoreProtection', 'activateDeployment'],
      ...['addDomain', 'changeDomain', 'verifyDomain', 'reverifyDomain'],
      ...['startProof', 'verifyProof', 'setLabRecord'],
    ],
  )
})

test('arguments become the parts of a request', () => {
  const tool = (name: string) => everything.find((one) => one.name === name) ?? assert.fail(name)
  assert.deepEqual(requestParts(tool('list_domains'), { project: 'a', limit: 5, cursor: undefined }), {
    params: { project: 'a' },
    query: { limit: 5 },
  })
  assert.deepEqual(requestParts(tool('add_domain'), { project: 'a', body: { hostname: 'b' } }), {
    params: { project: 'a' },
    query: {},
    body: { hostname: 'b' },
  })
})
