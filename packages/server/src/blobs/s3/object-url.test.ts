import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectUrl } from './object-url.ts'

const settings = { endpoint: 'https://s3.example.com', bucket: 'bucket', prefix: 'a/b/' }

test('the bucket is in the path or in the hostname, and the prefix before every key', () => {
  const inPath = { ...settings, pathStyle: true }
  assert.equal(objectUrl(inPath, 'acc_1/aa/x').href, 'https://s3.example.com/bucket/a/b/acc_1/aa/x')
  assert.equal(objectUrl(inPath, null, { uploads: '' }).href, 'https://s3.example.com/bucket?uploads=')
  const inHost = { ...settings, pathStyle: false }
  assert.equal(objectUrl(inHost, 'acc_1/aa/x').href, 'https://bucket.s3.example.com/a/b/acc_1/aa/x')
  assert.equal(
    objectUrl(inHost, null, { prefix: 'a/b/' }).href,
    'https://bucket.s3.example.com/?prefix=a%2Fb%2F',
  )
})

test('an endpoint may have a port and a path', () => {
  const behind = { ...settings, endpoint: 'http://127.0.0.1:9000/s3', prefix: '', pathStyle: true }
  assert.equal(objectUrl(behind, 'x').href, 'http://127.0.0.1:9000/s3/bucket/x')
})
