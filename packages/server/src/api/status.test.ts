import assert from 'node:assert/strict'
import { nobody, onEachApi } from './api.test-kit.ts'

onEachApi('status', (test) => {
  test('tells load balancers that the process lives and that it can take requests', async (api) => {
    const alive = await api.send('GET /healthz', nobody)
    assert.equal(alive.status, 200)
    assert.deepEqual(alive.body, { status: 'ok' })
    assert.deepEqual((await api.send('GET /readyz', nobody)).body, { status: 'ready' })
  })

  test('gives metrics to the operator, as Prometheus reads them', async (api) => {
    const metrics = await api.send('GET /metrics', api.operator)
    assert.equal(metrics.status, 200)
    assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  })

  test('gives metrics to nobody else', async (api) => {
    const { id } = await api.newAccount()
    const { caller: admin } = await api.newKey(id, ['admin'])
    for (const caller of [nobody, admin, { authorization: 'Bearer guess' }]) {
      const { status, headers, body } = await api.send('GET /metrics', caller)
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer'])
      assert.equal(body.code, 'unauthenticated')
    }
  })
})
