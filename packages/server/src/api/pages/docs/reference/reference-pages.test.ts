import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { endpoints } from '@masthead/contract/endpoints.ts'
import { openApiDocument } from '@masthead/contract/openapi.ts'
import { type RouteSchemas, routes } from '@masthead/contract/routes.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { referencePages } from './reference-pages.ts'

const server = 'https://masthead.example'
const document = openApiDocument({ version: '1', server }) as unknown as OpenApiDocument
const pages = referencePages(document, server)
const examples = new Map(
  pages.flatMap(({ markdown }) =>
    [...markdown.matchAll(/^## .* \{#(\w+)\}\n[\s\S]*?^```sh\n([\s\S]*?)^```/gm)].map(
      ([, name = '', command = '']) => [name, command] as const,
    ),
  ),
)

test('every route has a command with an address that its schemas accept', () => {
  for (const [name, endpoint] of Object.entries(endpoints) as [string, Endpoint][]) {
    const command = examples.get(name) ?? ''
    const [, address = ''] = /^curl (?:-X \w+ )?'?([^\s']+)/.exec(command) ?? []
    const { pathname, searchParams } = new URL(address)
    const [, path = ''] = endpoint.route.split(' ')
    const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const found = Object.entries(pattern.exec(pathname)?.groups ?? {})
    const { params, query }: RouteSchemas = routes[name as keyof typeof routes]
    const given = Object.fromEntries(found.map(([key, value]) => [key, decodeURIComponent(value ?? '')]))
    assert.deepEqual(params?.safeParse(given).error?.issues ?? [], [], command)
    assert.deepEqual(query?.safeParse(Object.fromEntries(searchParams)).error?.issues ?? [], [], command)
  }
})

test('every body in a command is one that the route accepts', () => {
  const refused: string[] = []
  for (const [name, command] of examples) {
    const json = / -d '([\s\S]*)'\n$/.exec(command)?.[1]?.replaceAll("'\\''", "'")
    const { body }: RouteSchemas = routes[name as keyof typeof routes]
    if (json === undefined || body === undefined) continue
    const { error } = body.safeParse(JSON.parse(json))
    if (error !== undefined || json.includes('…')) refused.push(`${name}: ${json} ${error?.message ?? ''}`)
  }
  assert.deepEqual(refused, [])
})

test('a route that keys cannot use says so, and does not ask for a scope of a key', () => {
  const text = pages.map(({ markdown }) => markdown).join('\n')
  for (const name of ['deleteAccount', 'createPasswordReset']) {
    const [, access] = new RegExp(`\\{#${name}\\}\\n.*\\n\\n(.*)\\n`).exec(text) ?? []
    assert.equal(access, 'Only for signed-in people whose role has the scope `admin`; keys cannot use it.')
  }
})
