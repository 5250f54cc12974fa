import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { MutatedInputs } from '@masthead/testing/mutated-inputs.ts'
import { ResponseCounts } from '../response-counts.ts'
import { createOpenSocket } from '../sockets/site-socket.ts'
import { FrameReader } from './frames/frame-reader.ts'
import { windowUpdate } from './frames/frames.test-kit.ts'
import { Http2Error, preface, settingIds } from './frames/protocol.ts'
import { createHttp2Connections } from './http2-connections.ts'
import { data, get, headers, memoryBody, ping, reply, rstStream, settings } from './wire.test-kit.ts'

/** For other inputs: `HTTP2_SEED=1 npm test -- mutated-frames`. For all of them: `HTTP2_INPUTS=1000000`. */
const seed = Number(process.env.HTTP2_SEED ?? 20_261_116)
const inputs = Number(process.env.HTTP2_INPUTS ?? 40_000)

const real = [
  Buffer.concat([settings([settingIds.initialWindowSize, 100]), get(1, '/a'), windowUpdate(1, 500)]),
  Buffer.concat([settings(), headers(1, { endStream: false }), data(1, 'content'), data(1, '', true)]),
  Buffer.concat([
    settings(),
    ping(),
    get(1, '/large'),
    get(3, '/slow'),
    rstStream(3),
    windowUpdate(0, 70_000),
  ]),
  Buffer.concat([settings(), headers(1, { endHeaders: false }), Buffer.from([0, 0, 0, 9, 4, 0, 0, 0, 1])]),
]

test(`mutated frames are the same frames however they are cut, or an Http2Error (seed ${seed})`, () => {
  const mutated = new MutatedInputs(real, seed)
  const outcomes = { read: 0, errors: 0 }
  Error.stackTraceLimit = 0
  for (let count = 0; count < inputs; count++) {
    const bytes = Buffer.concat([preface, mutated.next()])
    const whole = framesOf([bytes])
    const cuts: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + mutated.integer(40)
      cuts.push(bytes.subarray(at, end))
      at = end
    }
    if (framesOf(cuts) !== whole) assert.fail(`input ${count}`)
    outcomes[whole.endsWith('error') ? 'errors' : 'read']++
  }
  assert.ok(outcomes.read > inputs / 100 && outcomes.errors > inputs / 100, JSON.stringify(outcomes))
})

const openSocket = createOpenSocket(false)

function framesOf(chunks: readonly Buffer[]): string {
  let seen = ''
  const reader = new FrameReader({
    onFrame(type, flags, stream, bytes, start, end) {
      seen += `${type} ${flags} ${stream} ${bytes.toString('hex', start, end)}\n`
    },
    isPaused: () => false,
  })
  try {
    for (const chunk of chunks) reader.read(chunk, chunk.length)
    return seen
  } catch (error) {
    if (!(error instanceof Http2Error)) throw error
    return `${seen}error`
  }
}

test(`whatever a client sends, a connection fails only for its mistakes, and holds nothing afterwards (seed ${seed})`, async () => {
  const mutated = new MutatedInputs(real, seed)
  const logged: unknown[] = []
  const slow = new Promise<null>(() => {})
  const connections = createHttp2Connections({
    answers: {
      answer: ({ target }) =>
        target === '/slow' ? slow : reply('x'.repeat(target === '/large' ? 100_000 : 10)),
      responses: new ResponseCounts(),
      openBody: (body) => memoryBody(body.kind === 'bytes' ? body.bytes : Buffer.alloc(0)),
    },
    limits: { maxTotalStreams: 100 },
    log: { error: (...said: unknown[]) => void logged.push(said) },
  })
  for (let count = 0; count < inputs / 4; count++) {
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    const monitor = connections.accept(openSocket(socket as unknown as Socket), 'site.example')
    socket.push(Buffer.concat([preface, mutated.next()]))
    if (count % 50 === 0) await setImmediate()
    monitor.checkActivity()
    socket.destroy()
    assert.deepEqual(logged, [], `input ${count}`)
  }
  await setImmediate()
  // A share that was not given back would be missing here.
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  connections.accept(openSocket(socket as unknown as Socket), 'site.example')
  socket.push(
    Buffer.concat([preface, settings(), ...Array.from({ length: 20 }, (_, n) => get(2 * n + 1, '/slow'))]),
  )
  const sent: Buffer[] = []
  socket._write = (chunk: Buffer, _encoding, done) => {
    sent.push(Buffer.from(chunk))
    done()
  }
  await setImmediate()
  assert.ok(!Buffer.concat(sent).includes(Buffer.from([0, 0, 4, 3, 0])), 'a stream was refused')
  socket.destroy()
})
