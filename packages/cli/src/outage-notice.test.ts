import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError, UnexpectedAnswerError } from '@masthead/client/errors.ts'
import type { AnyFetch } from '@masthead/client/request.ts'
import { until } from '@masthead/testing/until.ts'
import { createOutageNotice } from './outage-notice.ts'
import { Output } from './terminal/output.ts'

const server = 'https://masthead.example'

function recorded(isTTY: boolean) {
  const written: string[] = []
  const stream = { isTTY, columns: 80, write: (text: string) => written.push(text) }
  const stderr = stream as unknown as NodeJS.WriteStream
  const out = new Output({ stdin: {}, stdout: stderr, stderr, json: false, quiet: false })
  const { signal } = new AbortController()
  return { written, notice: createOutageNotice({ server, out, signal }) }
}

const refused = { isOutage: true, waitMs: 60_000, error: new ConnectionError(server, null) }
const answering = (status: number) => (async () => ({ status })) as unknown as AnyFetch

test('at a terminal the line goes when the server answers again, but not with an error of its proxy', async () => {
  const { written, notice } = recorded(true)
  assert.equal(notice.announce(refused), true)
  await until(() => written.some((text) => /^Waiting for masthead\.example to come back… \d+ s$/.test(text)))
  await notice.watch(answering(502))(new URL(server))
  assert.notEqual(written.at(-1), '\r\x1b[2K')
  await notice.watch(answering(200))(new URL(server))
  assert.equal(written.at(-1), '\r\x1b[2K')
})

test('elsewhere it is noted once per outage', async () => {
  const { written, notice } = recorded(false)
  for (const outages of [1, 2]) {
    notice.announce(refused)
    notice.announce(refused)
    await until(() => written.length === outages)
    await notice.watch(answering(200))(new URL(server))
  }
  assert.deepEqual(new Set(written), new Set(['Waiting for masthead.example to come back…\n']))
})

test('a wait that the server asked for is not an outage', () => {
  const { notice } = recorded(false)
  const asked = new UnexpectedAnswerError(server, 503, '', 5_000)
  assert.equal(notice.announce({ ...refused, error: asked }), false)
  assert.equal(notice.announce({ ...refused, isOutage: false }), false)
})
