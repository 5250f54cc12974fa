import assert from 'node:assert/strict'
import { endpoints } from '@masthead/contract/endpoints.ts'
import { openApiDocument } from '@masthead/contract/openapi.ts'
import { listenForChanges } from '@masthead/testing/clients/change-listener.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi } from './api.test-kit.ts'

const origin = 'https://tools.example'

interface Operation {
  parameters: { in: string; name: string }[]
}
const { paths, components } = openApiDocument({ version: '0', server: 'http://localhost' }) as {
  paths: Record<string, Record<string, Operation>>
  components: { headers: Record<string, object> }
}

const namesIn = (list: string | null) => (list ?? '').split(',').map((name) => name.trim().toLowerCase())

/** As a browser does (Fetch Standard, 4.8): asks first, and gives up if a header or the method is not allowed. */
async function passPreflight(api: ApiUnderTest, method: string, path: string, headers: string[]) {
  const { status, headers: allowed } = await api.send(`OPTIONS ${path}`, nobody, {
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': headers
        .map((name) => name.toLowerCase())
        .sort()
        .join(','),
    },
  })
  assert.equal(status, 204)
  assert.equal(allowed.get('access-control-allow-origin'), '*')
  assert.ok(namesIn(allowed.get('access-control-allow-methods')).includes(method.toLowerCase()), method)
  const missing = headers.filter(
    (name) => !namesIn(allowed.get('access-control-allow-headers')).includes(name.toLowerCase()),
  )
  assert.deepEqual(missing, [], `${method} ${path}`)
}

onEachApi('a program in a browser on another origin', (test) => {
  test('reconnects to the stream with a key and the id of the last event', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newKey(id, ['read'])
    const connect = async (headers: Caller) => {
      await passPreflight(api, 'GET', '/v1/stream', Object.keys(headers))
      return listenForChanges(api.origin, { ...headers, Origin: origin })
    }
    const first = await connect(caller)
    await first.toldTimes(1)
    await first[Symbol.asyncDispose]()
    await using again = await connect({ ...caller, 'Last-Event-ID': '0' })
    await again.toldTimes(1)
    assert.equal(again.headers.get('access-control-allow-origin'), '*')
  })

  test('may read every header in the OpenAPI document', async (api) => {
    const { headers } = await api.send('GET /v1/server', nobody, { headers: { Origin: origin } })
    const exposed = namesIn(headers.get('access-control-expose-headers'))
    const named = ['ETag', ...Object.keys(components.headers)]
    assert.deepEqual(
      named.filter((name) => !exposed.includes(name.toLowerCase())),
      [],
    )
  })

  test('may send every header in the OpenAPI document', async (api) => {
    for (const { route } of Object.values(endpoints)) {
      const [method = '', path = ''] = route.split(' ')
      const parameters = paths[path]?.[method.toLowerCase()]?.parameters ?? []
      const named = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
      const headers = ['Authorization', ...(method === 'GET' ? [] : ['Content-Type']), ...named]
      await passPreflight(api, method, path.replaceAll(/\{\w+\}/g, 'x'), headers)
    }
  })

  test('may ask for the address of the API itself', async (api) => {
    await passPreflight(api, 'GET', '/v1', ['Authorization'])
  })
})
