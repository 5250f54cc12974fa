import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { streamLargeResponses } from './responses.ts'

test('strings and bytes of any size arrive unchanged, with their length', async () => {
  const app = Fastify()
  streamLargeResponses(app)
  const texts = ['', 'x', 'x'.repeat(64 * 1024 + 1), 'x'.repeat(64 * 1024 - 1) + '😀é'.repeat(70_000)]
  app.get('/text/:n', (request) => texts[Number((request.params as { n: string }).n)])
  app.get('/bytes/:n', (request) => Buffer.from(texts[Number((request.params as { n: string }).n)] ?? ''))
  for (const [n, text] of texts.entries()) {
    for (const kind of ['text', 'bytes']) {
      const answer = await app.inject(`/${kind}/${n}`)
      assert.equal(answer.rawPayload.toString(), text)
      assert.equal(Number(answer.headers['content-length']), Buffer.byteLength(text))
      const head = await app.inject({ method: 'HEAD', url: `/${kind}/${n}` })
      assert.equal(Number(head.headers['content-length']), Buffer.byteLength(text))
      assert.equal(head.rawPayload.length, 0)
    }
  }
  await app.close()
})
