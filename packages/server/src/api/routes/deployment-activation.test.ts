import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { CreatedDeployment, Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import { type ApiUnderTest, onEachApi } from '../api.test-kit.ts'

const route = '/v1/projects/site/deployments'

async function newSite(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
  await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })

  /** Lists a file and uploads it. */
  async function announce(content: string, query = '', meta = {}) {
    const sha256 = createHash('sha256').update(content).digest('hex')
    const json = { files: { '/index.html': { sha256, size: content.length } }, meta }
    const { body, status } = await api.send<CreatedDeployment>(`POST ${route}${query}`, caller, { json })
    assert.equal(status, 201)
    const upload = { headers: { 'Content-Type': 'application/octet-stream' }, body: content }
    await api.send(`PUT ${route}/${body.id}/files/${sha256}`, caller, upload)
    return body.id
  }

  const finalize = async (id: string, query = '') => {
    const { body, status } = await api.send<Deployment>(`POST ${route}/${id}/finalize${query}`, caller)
    assert.equal(status, 200)
    return body.active
  }
  const activations = async () => {
    const { body } = await api.send<Page<AccountEvent>>('GET /v1/events', caller)
    return body.items.filter(({ type }) => type === 'deployment.activated').length
  }
  const activate = async (id: string, replaces?: string) => {
    const { body, status } = await api.send<Deployment & { code?: string }>(
      `POST ${route}/${id}/activate`,
      caller,
      { json: { replaces } },
    )
    return status === 200 ? body.active : body.code
  }
  return { announce, finalize, activate, activations }
}

onEachApi('a deployment that is to replace another one', (test) => {
  test('goes live only while that one is live, and a retry succeeds', async (api) => {
    const { announce, finalize, activate } = await newSite(api)
    const [one, two, three] = [await announce('1'), await announce('2'), await announce('3')]
    for (const id of [one, two]) await finalize(id)
    assert.equal(await activate(one, two), true)
    assert.equal(await activate(one, two), true)
    await finalize(three)
    assert.equal(await activate(two, one), 'deployment_not_active')
    assert.equal(await finalize(three), true)
    assert.equal(await activate(two), true)
  })

  test('goes live in one of several requests at once', async (api) => {
    const { announce, finalize, activate } = await newSite(api)
    const ids = [await announce('1'), await announce('2'), await announce('3')] as const
    for (const id of ids) await finalize(id)
    const [one, two, live] = ids
    const answers = await Promise.all([activate(one, live), activate(two, live)])
    assert.deepEqual(answers.sort(), ['deployment_not_active', true])
  })
})

onEachApi('a list of files', (test) => {
  test('goes live or not as asked when it was created', async (api) => {
    const { announce, finalize } = await newSite(api)
    assert.equal(await finalize(await announce('one', '?activate=false')), false)
    assert.equal(await finalize(await announce('two', '?activate=true')), true)
    const branch = { branch: 'feat' }
    assert.equal(await finalize(await announce('three', '?activate=true', branch)), true)
    assert.equal(await finalize(await announce('four', '?activate=false', branch)), false)
    assert.equal(await finalize(await announce('five', '', branch)), false)
    assert.equal(await finalize(await announce('six')), true)
  })

  test('goes live or not as asked when it is finalized, whatever was asked before', async (api) => {
    const { announce, finalize } = await newSite(api)
    assert.equal(await finalize(await announce('one', '?activate=true'), '?activate=false'), false)
    assert.equal(await finalize(await announce('two', '?activate=false'), '?activate=true'), true)
  })

  test('that became a preview goes live if finalizing it again asks for that, once', async (api) => {
    const { announce, finalize, activations } = await newSite(api)
    const preview = await announce('one', '?activate=true')
    assert.equal(await finalize(preview, '?activate=false'), false)
    assert.equal(await finalize(preview), false)
    assert.equal(await activations(), 0)
    assert.equal(await finalize(preview, '?activate=true'), true)
    assert.equal(await finalize(preview, '?activate=true'), true)
    assert.equal(await finalize(preview, '?activate=false'), true)
    assert.equal(await activations(), 1)
    // A retry that comes late must not undo what was published since.
    assert.equal(await finalize(await announce('two')), true)
    assert.equal(await finalize(preview, '?activate=true'), false)
  })
})
