import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { CreatedDeployment, Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import { until } from '@masthead/testing/until.ts'
import { onEachApi } from '../api.test-kit.ts'

const sha256 = createHash('sha256').update('hello').digest('hex')
const deployments = '/v1/projects/site/deployments'

onEachApi('a client that leaves during an upload', (test) => {
  test('leaves nothing behind, and is no error of the server', async (api) => {
    const { id } = await api.newAccount()
    const { secret, caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
    await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
    const json = { files: { '/index.html': { sha256, size: 5 } } }
    const { body } = await api.send<CreatedDeployment>(`POST ${deployments}`, caller, { json })

    for (const [route, type] of [
      [`PUT ${deployments}/${body.id}/files/${sha256}`, 'application/octet-stream'],
      [`POST ${deployments}/${body.id}/files`, 'application/gzip'],
      [`POST ${deployments}`, 'application/x-tar'],
      [`POST ${deployments}`, 'application/zip'],
      [`POST ${deployments}`, 'application/json'],
    ] as const) {
      api.logged.length = 0
      const lines = [`${route} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${secret}`]
      lines.push(`Content-Type: ${type}`, 'Content-Length: 5', 'Expect: 100-continue', '', '')
      const socket = connect(Number(new URL(api.origin).port), '127.0.0.1')
      socket.write(lines.join('\r\n'))
      const [answer] = await once(socket, 'data')
      assert.match(String(answer), /^HTTP\/1\.1 100 /)
      // How a gzip starts: bytes that are refused at once would not be waited for.
      socket.write(Buffer.of(0x1f, 0x8b, 8), () => socket.resetAndDestroy())
      await until(() => api.logged.length > 0)
      const levels = api.logged.map((line) => JSON.parse(line).level)
      assert.deepEqual(levels, [20], `${route}: ${api.logged}`)
    }
    const list = await api.send<Page<Deployment>>(`GET ${deployments}`, caller)
    assert.deepEqual(
      list.body.items.map((one) => one.id),
      [body.id],
    )
  })
})
