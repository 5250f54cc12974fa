import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type ApiUnderTest, type Caller, onEachApi } from '../api.test-kit.ts'

/** Without Content-Length, which `fetch` adds to some methods. */
async function sendTyped(
  { origin }: ApiUnderTest,
  route: string,
  as: Caller,
  headers: Record<string, string>,
) {
  const [method = '', path = ''] = route.split(' ')
  const sent = request(`${origin}${path}`, { method, headers: { ...as, ...headers } })
  sent.useChunkedEncodingByDefault = false
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(answer)
  return {
    status: answer.statusCode,
    code: body === '' ? null : (JSON.parse(body).code as string | undefined),
  }
}

onEachApi('a request that names the type of a body and has none', (test) => {
  for (const length of [{}, { 'content-length': '0' }] as Record<string, string>[]) {
    const how = Object.keys(length).length === 0 ? 'without a length' : 'with length 0'

    test(`is answered where none is expected, ${how}`, async (api) => {
      const { id } = await api.newAccount()
      const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
      for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON']) {
        const headers = { 'content-type': type, ...length }
        await api.send('POST /v1/projects', caller, { json: { slug: 'shop' } })
        const { status } = await sendTyped(api, 'DELETE /v1/projects/shop', caller, headers)
        assert.equal(status, 204)
      }
    })

    test(`is refused where one is needed, ${how}`, async (api) => {
      const { id } = await api.newAccount()
      const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
      await api.send('POST /v1/projects', caller, { json: { slug: 'shop' } })
      const deploy = 'POST /v1/projects/shop/deployments'
      for (const [type, status] of [
        ['application/gzip', 422],
        ['application/zip', 422],
        ['application/x-tar', 422],
        ['text/plain', 415],
        ['application/json', 400],
      ] as const) {
        const answer = await sendTyped(api, deploy, caller, { 'content-type': type, ...length })
        assert.equal(answer.status, status, `${type}: ${answer.code}`)
      }
    })
  }
})
