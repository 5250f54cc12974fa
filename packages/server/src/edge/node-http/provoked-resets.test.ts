import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { frame, framesIn, getFrame, windowUpdate } from '../http2/frames/frames.test-kit.ts'
import { frameTypes, preface } from '../http2/frames/protocol.ts'
import { siteName, startHttps } from '../https.test-kit.ts'

/** What a server must answer by resetting the stream or by worse, as each stands in RFC 9113. */
const provocations = {
  'opens the window of a stream by nothing (6.9)': (stream: number) => windowUpdate(stream, 0),
  'opens it beyond all measure (6.9.1)': (stream: number) => windowUpdate(stream, 0x7fff_ffff),
  'goes on after its end with content (5.1)': (stream: number) =>
    frame({ type: frameTypes.data, stream, payload: Buffer.from('more') }),
  'goes on after its end with another head (5.1)': (stream: number) => getFrame(stream, siteName),
}

describe('a client that makes us reset its requests and', () => {
  for (const [name, provoke] of Object.entries(provocations)) {
    test(`${name} ends the session`, async () => {
      await using edge = await startHttps({
        listener: { sessionLimits: { resetBurst: 20, resetRate: 1 } },
      })
      await edge.publish('hello', { '/index.html': Buffer.alloc(3 * 1024 ** 2) })
      await edge.certify(siteName)
      const socket = await edge.dial(siteName, { ALPNProtocols: ['h2'] })
      const received: Buffer[] = []
      socket.on('data', (chunk: Buffer) => received.push(chunk))
      socket.on('error', () => {})
      socket.write(Buffer.concat([Buffer.from(preface), frame({ type: frameTypes.settings })]))
      let asked = 0
      while (!socket.destroyed && asked < 10_000) {
        const stream = 2 * asked++ + 1
        socket.write(Buffer.concat([getFrame(stream, siteName), provoke(stream)]))
        await setImmediate()
      }
      assert.ok(socket.destroyed)
      const answered = framesIn(Buffer.concat(received)).filter(({ type }) => type === frameTypes.headers)
      assert.ok(answered.length <= 21, `${answered.length} were answered`)
      while (edge.listener.connections() > 0) await setImmediate()
    })
  }
})
