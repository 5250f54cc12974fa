import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour, minute } from '../../kernel/clock.ts'
import { judgeCounting, judgeLag, judgeSpace } from './checks.ts'

const GB = 1000 ** 3

test('limits are healthy in one process and on Redis, and not while Redis is down', () => {
  assert.deepEqual(judgeCounting({ by: 'process' }), {
    ok: true,
    message: 'Requests are counted in this process.',
  })
  assert.deepEqual(judgeCounting({ by: 'redis', up: true, nodes: 3 }), {
    ok: true,
    message: 'Redis is responding; 3 processes count requests there.',
  })
  assert.equal(judgeCounting({ by: 'redis', up: true, nodes: 1 }).ok, true)
  assert.deepEqual(judgeCounting({ by: 'redis', up: false, nodes: 3 }), {
    ok: false,
    message: 'Redis is not responding. Each process allows its share of the limits.',
  })
})

test('work is late from a minute on', () => {
  assert.equal(judgeLag(0, 'domain check').ok, true)
  assert.equal(judgeLag(minute - 1, 'domain check').ok, true)
  assert.equal(judgeLag(minute, 'domain check').ok, false)
  const { message } = judgeLag(5 * hour, 'domain check')
  assert.equal(message, 'The oldest domain check is 5 hours late. Is a worker running?')
})

test('there is too little space when the largest deployment would not fit', () => {
  assert.deepEqual(judgeSpace(75.9 * GB, GB), {
    ok: true,
    message: 'Files can be written. 75 GB of disk space left.',
  })
  assert.equal(judgeSpace(GB, GB).ok, true)
  assert.deepEqual(judgeSpace(GB - 1, GB), {
    ok: false,
    message: 'Only 999 MB of disk space left, less than one deployment may need.',
  })
  assert.equal(
    judgeSpace(0, GB).message,
    'Only 0 bytes of disk space left, less than one deployment may need.',
  )
})
