import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ChangeStream } from './change-stream.ts'

const times = { heartbeatEvery: 15_000, pace: 200, maxDuration: 3_600_000 }

/** A stream with a clock that the test sets, and what a reader got from it. */
function listen({ reads = true, onHeartbeat = () => {} } = {}) {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const stream = new ChangeStream(times, onHeartbeat)
  const heard: string[] = []
  if (reads) stream.setEncoding('utf8').on('data', (text: string) => heard.push(text))
  return {
    stream,
    heard,
    async pass(milliseconds: number) {
      mock.timers.tick(milliseconds)
      await turn()
    },
    async names() {
      await turn()
      return heard.join('').match(/(?<=event: )\w+/g) ?? []
    },
    [Symbol.dispose]() {
      stream.destroy()
      mock.timers.reset()
    },
  }
}

test('it starts with hello and the reconnect delay', async () => {
  using listening = listen()
  await turn()
  assert.deepEqual(listening.heard, ['retry: 1000\nevent: hello\nid: 0\ndata: {}\n\n'])
})

test('a change is sent immediately, and those right after it are combined', async () => {
  using listening = listen()
  const { stream, pass, names } = listening
  stream.sendChange()
  assert.deepEqual(await names(), ['hello', 'changed'])
  for (let count = 0; count < 50; count++) stream.sendChange()
  await pass(199)
  assert.deepEqual(await names(), ['hello', 'changed'])
  await pass(1)
  assert.deepEqual(await names(), ['hello', 'changed', 'changed'])
  stream.sendChange()
  assert.deepEqual(await names(), ['hello', 'changed', 'changed'])
  await pass(200)
  await pass(10_000)
  assert.deepEqual(await names(), ['hello', 'changed', 'changed', 'changed'])
  stream.sendChange()
  assert.equal((await names()).length, 5)
  assert.match(listening.heard.at(-1) ?? '', /^event: changed\nid: 4\ndata: \{\}\n\n$/)
})

test('a heartbeat keeps it alive and checks whether it is still allowed', async () => {
  let looks = 0
  using listening = listen({ onHeartbeat: () => void looks++ })
  await listening.pass(30_000)
  assert.deepEqual(listening.heard.slice(1).join(''), ':\n\n:\n\n')
  assert.equal(looks, 2)
})

test('it ends after an hour', async () => {
  using listening = listen()
  const ended = once(listening.stream, 'end')
  await listening.pass(3_600_000)
  await ended
})

test('once ended it sends nothing, and no timer is left', async () => {
  using listening = listen()
  listening.stream.sendChange()
  listening.stream.end()
  listening.stream.end()
  listening.stream.sendChange()
  await once(listening.stream, 'close')
  const heard = listening.heard.length
  await listening.pass(60_000)
  assert.equal(listening.heard.length, heard)
})

test('a client that does not read is dropped before much is buffered', async () => {
  using listening = listen({ reads: false })
  const { stream, pass } = listening
  let most = 0
  for (let count = 0; count < 10_000 && !stream.destroyed; count++) {
    stream.sendChange()
    most = Math.max(most, stream.readableLength)
    await pass(200)
  }
  assert.ok(stream.destroyed)
  assert.ok(most <= 8 * 1024, `${most} bytes waited`)
})
