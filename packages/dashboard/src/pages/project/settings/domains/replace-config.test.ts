import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@masthead/client/client.ts'
import type { Config } from './config-change.ts'
import { ConfigMoved, replaceConfig } from './replace-config.ts'

const params = { project: 'site' }
const to = (primary: string): Config => ({ primary, redirects: [] })

/** An API that holds one configuration. `atPut` is what somebody else does just before ours arrives. */
function holding(config: Config, atPut?: (api: { config: Config }) => void) {
  const api = { config }
  const tag = () => `"${api.config.primary}"`
  const answer = (status: number, value: object) =>
    new Response(JSON.stringify(value), { status, headers: { etag: tag() } })
  const client = createClient({
    server: 'http://api.example',
    fetch: async (_url, init) => {
      const isPut = init?.method === 'PUT'
      if (isPut) atPut?.(api)
      const ifMatch = new Headers(init?.headers).get('if-match')
      if (isPut && ifMatch !== tag()) return answer(412, { code: 'domain_config_changed', detail: 'No.' })
      if (isPut) api.config = JSON.parse(String(init?.body)).domains
      return answer(200, { domains: api.config })
    },
  })
  return { api, client }
}

test('what was seen is replaced', async () => {
  const { api, client } = holding(to('a.com'))
  const saved = await replaceConfig(client, params, { seen: to('a.com'), next: to('b.com') })
  assert.deepEqual([saved.domains, api.config], [to('b.com'), to('b.com')])
})

test('what somebody changed before, or at the same moment, is kept and shown', async () => {
  const earlier = holding(to('theirs.com'))
  const atOnce = holding(to('a.com'), (api) => {
    api.config = to('theirs.com')
  })
  for (const { api, client } of [earlier, atOnce]) {
    await assert.rejects(replaceConfig(client, params, { seen: to('a.com'), next: to('b.com') }), (error) => {
      assert.ok(error instanceof ConfigMoved)
      assert.deepEqual(error.current.domains, to('theirs.com'))
      return true
    })
    assert.deepEqual(api.config, to('theirs.com'))
  }
})
