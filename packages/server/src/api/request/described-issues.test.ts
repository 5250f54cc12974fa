import assert from 'node:assert/strict'
import { onEachApi } from '../api.test-kit.ts'

const files = { '/index.html': { sha256: 'a'.repeat(64), size: 1 } }
const publisher = { issuer: 'https://gitlab.com', project: 'site' }
const redirect = { from: 'www.acme.example', to: 'acme.example', status: 303 }

onEachApi('a wrong value', (test) => {
  test('is named with what it could be', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner', { operator: true })
    await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
    const deployments = 'POST /v1/projects/site/deployments'
    for (const [route, json, detail] of [
      ['GET /v1/events?project=', undefined, 'project must be the id or slug of a project.'],
      ['GET /v1/keys?limit=1.5', undefined, 'limit must be a whole number.'],
      ['GET /v1/keys?limit=many', undefined, 'limit must be a number.'],
      [
        'PUT /v1/projects/site/domain-config',
        { domains: { primary: 'acme.example', redirects: [redirect] } },
        'domains.redirects.0.status must be one of 301, 302, 307, 308.',
      ],
      [
        'PUT /v1/operator/projects/site/takedown',
        { reason: 'x', status: 404 },
        'status must be one of 403, 451.',
      ],
      [deployments, { files, meta: { pullRequest: 1.5 } }, 'meta.pullRequest must be a whole number.'],
      [deployments, { files, meta: { pullRequest: 0 } }, 'meta.pullRequest must be at least 1.'],
      [deployments, { files, meta: { pullRequest: 'x' } }, 'meta.pullRequest must be a whole number.'],
      [deployments, { files, meta: { pullRequest: true } }, 'meta.pullRequest must be a number or a string.'],
      [
        'POST /v1/trusted-publishers',
        { ...publisher, claims: { 'a b': 'x' } },
        'claims.a b is not a valid name: it must only contain letters, digits and _ . : / -.',
      ],
    ] as const) {
      const refused = await api.send(route, caller, { json })
      assert.deepEqual([refused.status, refused.body.detail], [422, detail], route)
    }
  })
})
