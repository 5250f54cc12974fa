type Json = { [name: string]: unknown }

/** What a field is called says what it looks like, unless its schema has an example of its own. */
const byName: Record<string, unknown> = {
  name: 'My site',
  slug: 'my-site',
  project: 'my-site',
  client: 'masthead on ada-laptop',
  accountName: 'Acme',
  email: 'ada@example.com',
  ownerEmail: 'ada@example.com',
  token: 'the-token-of-your-link',
  secret: 'the-secret-you-were-given',
  request: 'the-request-you-were-given',
  productionBranch: 'main',
  password: 'nine pale lanterns',
  current: 'nine pale lanterns',
  new: 'seven quiet harbours',
  hostname: 'www.acme.com',
  domain: 'acme.com',
  primary: 'www.acme.com',
  from: 'acme.com',
  to: 'www.acme.com',
  url: 'https://my-site.pages.example.com',
  primaryUrl: 'https://www.acme.com',
  path: '/index.html',
  file: '/index.html',
  files: 12,
  size: 5120,
  bytes: 48_213,
  sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  reason: 'phishing',
  version: '0.1.0',
  platformDomain: 'pages.example.com',
  expiresAt: '2030-01-01T00:00:00.000Z',
  hint: 'x7Qa',
  address: '203.0.113.7',
  values: ['203.0.113.7'],
  cursor: 'eyJhdCI6MX0',
  search: 'site',
  type: 'A',
  ttl: 300,
  perMinute: 5_000,
  perDay: 1_000_000,
  domainsPerProject: 500,
  keys: 'keep',
}

/** An example of a JSON Schema, from its own examples where it has some. `resolve` finds what `$ref` names. */
export function exampleOf(schema: Json, resolve: (reference: string) => Json, name = '', depth = 0): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref), resolve, name, depth)
  const [own] = (schema.examples as unknown[] | undefined) ?? []
  if (own !== undefined) return own
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const [first] = ((schema.anyOf ?? schema.oneOf) as Json[] | undefined) ?? []
  if (first !== undefined) return exampleOf(first, resolve, name, depth)
  if (schema.type === 'object') return exampleObject(schema, resolve, depth)
  if (schema.default !== undefined) return schema.default
  if (schema.type === 'array') return exampleList(schema, resolve, name, depth)
  const known = byName[name]
  if (schema.format === 'date-time') return known ?? '2026-11-16T09:30:00.000Z'
  if (schema.format === 'email') return 'ada@example.com'
  if (schema.type === 'boolean') return false
  if (schema.type === 'integer' || schema.type === 'number')
    return typeof known === 'number' ? known : Math.max(Number(schema.minimum ?? 1), 1)
  return typeof known === 'string' ? known : '…'
}

const deepest = 6

function exampleObject(schema: Json, resolve: (reference: string) => Json, depth: number): Json {
  if (depth > deepest) return {}
  const properties = (schema.properties ?? {}) as Record<string, Json>
  const example = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      exampleOf(property, resolve, name, depth + 1),
    ]),
  )
  const others = schema.additionalProperties
  if (Object.keys(properties).length > 0 || typeof others !== 'object' || others === null) return example
  return { '/index.html': exampleOf(others as Json, resolve, '', depth + 1) }
}

function exampleList(
  schema: Json,
  resolve: (reference: string) => Json,
  name: string,
  depth: number,
): unknown[] {
  if (Array.isArray(byName[name])) return byName[name]
  if (depth > deepest) return []
  return [exampleOf((schema.items ?? {}) as Json, resolve, name.replace(/s$/, ''), depth + 1)]
}
