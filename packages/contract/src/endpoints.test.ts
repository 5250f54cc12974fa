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

test('every endpoint stands in one group, under one name', () => {
  const grouped = Object.values(endpointGroups).flatMap((group) => Object.keys(group))
  assert.deepEqual(grouped.sort(), Object.keys(endpoints).sort())
})

test('no two endpoints have the same route', () => {
  const taken = all.map(([, { route }]) => route.replaceAll(/\{\w+\}/g, '{}'))
  assert.equal(new Set(taken).size, taken.length)
})

test('the parts of an address are those that its schema reads', () => {
  for (const [name, { route }] of all) {
    const inRoute = [...route.matchAll(/\{(\w+)\}/g)].map(([, part]) => part)
    const { params }: RouteSchemas = routes[name]
    const inSchema = params instanceof z.ZodObject ? Object.keys(params.shape) : []
    assert.deepEqual(inSchema.sort(), inRoute.sort(), name)
  }
})

test('an answer without a body is a 204, and only that; a stream has no shape either', () => {
  for (const [name, { status, answers }] of all) {
    const { answer }: RouteSchemas = routes[name]
    assert.equal(answer === undefined, status === 204 || answers === 'text/event-stream', name)
  }
})

test('what is read has no body, and every body and query refuses fields that it does not know', () => {
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
