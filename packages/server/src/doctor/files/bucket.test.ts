import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freePort } from '@masthead/testing/free-port.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { strangersKey } from '@masthead/testing/peers/swift.ts'
import { s3Settings } from '../../blobs/each-store.test-kit.ts'
import type { S3Settings } from '../../config/s3-values.ts'
import { checkBucketAccess } from './bucket.ts'

async function examine(changes: Partial<S3Settings> = {}) {
  const { swift, ...settings } = await s3Settings()
  const finding = await checkBucketAccess({ ...settings, ...changes }, new AbortController().signal)
  return { finding, swift, bucket: settings.bucket }
}

describe('the bucket', { skip: skipWithout('swift') }, () => {
  test('one that can be used is fine, and nothing is left in it', async () => {
    const { finding, swift, bucket } = await examine()
    assert.equal(finding.status, 'ok', JSON.stringify(finding))
    const list = await (await swift.request('GET', `${bucket}?list-type=2`)).text()
    assert.doesNotMatch(list, /doctor/)
  })

  test('one that does not exist, or that the key may not use, is a problem with its fix', async () => {
    const missing = (await examine({ bucket: 'no-such-bucket' })).finding
    assert.match(`${missing.status} ${missing.fix}`, /^problem .*there is no bucket no-such-bucket/)
    const foreign = (await examine(strangersKey)).finding
    assert.match(`${foreign.status} ${foreign.fix}`, /^problem .*may not list the bucket/)
    assert.doesNotMatch(JSON.stringify(foreign), new RegExp(strangersKey.secretAccessKey))
  })

  test('a server that is down is a problem', async () => {
    const { finding } = await examine({ endpoint: `http://127.0.0.1:${await freePort()}` })
    assert.match(`${finding.message} ${finding.fix}`, /^S3 is not responding: .*MASTHEAD_S3_ENDPOINT/)
  })
})
