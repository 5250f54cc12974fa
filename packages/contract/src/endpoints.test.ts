import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import type { Endpoint } from './endpoints/endpoint.ts'
import { endpointGroups, endpoints } from './endpoints.ts'
import { type RouteSchemas, routes } from './routes.ts'

const all = Object.entries(endpoints) as [keyof typeof routes, Endpoint][]

test('every endpoint has its schemas, and every schema its endpoint', () => {
  assert.deepEqual(Object.keys(routes).sort(), Object.keys(endpoints).sort())
})

test('every endpoint is in one group, under one name', () => {
  const grouped = Object.values(endpointGroups).flatMap((group) => Object.keys(group))
  assert.deepEqual(grouped.sort(), Object.keys(endpoints).sort())
})

test('no two endpoints have the same route', () => {
  const taken = all.map(([, { route }]) => route.replaceAll(/\{\w+\}/g, '{}'))
  assert.equal(new Set(taken).size, taken.length)
})

test('path parameters match the params schema', () => {
  for (const [name, { route }] of all) {
    const inRoute = [...route.matchAll(/\{(\w+)\}/g)].map(([, part]) => part)
    const { params }: RouteSchemas = routes[name]
    const inSchema = params instanceof z.ZodObject ? Object.keys(params.shape) : []
    assert.deepEqual(inSchema.sort(), inRoute.sort(), name)
  }
})

test('only a 204 has no response schema, apart from streams', () => {
  for (const [name, { status, answers }] of all) {
    const { answer }: RouteSchemas = routes[name]
    assert.equal(answer === undefined, status === 204 || answers === 'text/event-stream', name)
  }
})

test('GET routes have no body, and every body and query rejects unknown fields', () => {
  for (const [name, { route }] of all) {
    const { body, query }: RouteSchemas = routes[name]
    if (route.startsWith('GET ')) assert.equal(body, undefined, name)
    for (const schema of [body, query]) {
      const faults = schema?.safeParse({ unheardOf: 1 }).error?.issues ?? []
      const refused = faults.some((issue) => issue.code === 'unrecognized_keys')
      assert.ok(schema === undefined || refused, name)
    }
  }
})
