import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { freePort } from '@masthead/testing/free-port.ts'
import { startFaultProxy } from '@masthead/testing/peers/fault-proxy.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { strangersKey } from '@masthead/testing/peers/swift.ts'
import type { S3Settings } from '../../config/s3-values.ts'
import { StartError } from '../../kernel/program/process-lifetime.ts'
import { s3Settings } from '../each-store.test-kit.ts'
import { checkBucket } from './check-bucket.ts'
import { createS3Client } from './s3-client.ts'
import { defaultS3Limits } from './s3-limits.ts'

const limits = { ...defaultS3Limits, retryReadsMs: 200, silenceMs: 500 }

async function check(changes: Partial<S3Settings>): Promise<string | null> {
  const settings = { ...(await s3Settings()), ...changes }
  return checkBucket(createS3Client(settings, limits), settings)
}

describe('the bucket at the start', { skip: skipWithout('swift') }, () => {
  test('one that can be used is fine, also if it is empty', async () => {
    assert.equal(await check({}), null)
  })

  test('wrong settings stop the start, and the text names the one to correct', async () => {
    const cases: [Partial<S3Settings>, RegExp][] = [
      [{ bucket: 'no-such-bucket' }, /^MASTHEAD_BLOBS: there is no bucket no-such-bucket at http/],
      [{ secretAccessKey: 'wrong' }, /^MASTHEAD_S3_SECRET_ACCESS_KEY does not belong/],
      [{ accessKeyId: 'test:nobody' }, /^MASTHEAD_S3_(ACCESS_KEY_ID|SECRET_ACCESS_KEY)/],
      [strangersKey, /^MASTHEAD_S3_ACCESS_KEY_ID: this key may not list the bucket/],
      [{ region: 'mars-north-1' }, /^MASTHEAD_S3_REGION: S3 does not accept the region mars-north-1/],
      [
        { endpoint: 'http://s3.invalid' },
        /^MASTHEAD_S3_ENDPOINT: the host of http:\/\/s3\.invalid does not exist/,
      ],
    ]
    for (const [changes, text] of cases) {
      await assert.rejects(check(changes), (error) => {
        assert.ok(error instanceof StartError, String(error))
        assert.match(error.message, text)
        assert.ok(!error.message.includes('testing'), 'the secret')
        return true
      })
    }
  })

  test('a server that is not S3 stops the start', async () => {
    for (const status of [200, 404, 400]) {
      const server = createServer((_, response) => response.writeHead(status).end('<html>Hello</html>'))
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await assert.rejects(
        check({ endpoint }),
        /^StartError: MASTHEAD_S3_ENDPOINT: .* does not answer like S3/,
      )
      server.close()
      server.closeAllConnections()
    }
  })

  test('an S3 that is down does not stop the start', async () => {
    assert.match((await check({ endpoint: `http://127.0.0.1:${await freePort()}` })) ?? '', /ECONNREFUSED/)
    const { endpoint } = await s3Settings()
    await using proxy = await startFaultProxy(endpoint)
    proxy.next({ kind: 'answer', status: 503 }, { times: 1_000 })
    assert.match((await check({ endpoint: proxy.url })) ?? '', /503/)
    proxy.mend()
    proxy.next({ kind: 'silence' }, { times: 1_000 })
    assert.match((await check({ endpoint: proxy.url })) ?? '', /silent/)
  })
})
