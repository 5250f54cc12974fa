import { once } from 'node:events'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { defaultContentLimits } from '../assets/content-cache.ts'
import { frame, getFrame, halfOpen } from '../http2/frames/frames.test-kit.ts'
import { frameTypes, preface } from '../http2/frames/protocol.ts'
import { siteName, startHttps } from '../https.test-kit.ts'

/** In SETTINGS: how much of an answer may come before more is allowed. */
const initialWindowSize = 4

function settings(window: number): Buffer {
  const payload = Buffer.alloc(6)
  payload.writeUInt16BE(initialWindowSize, 0)
  payload.writeUInt32BE(window, 2)
  return frame({ type: frameTypes.settings, payload })
}

const tooLargeForMemory = defaultContentLimits.bytesPerFile + 1

async function startSite() {
  const edge = await startHttps()
  await edge.publish('hello', { '/index.html': Buffer.alloc(tooLargeForMemory, 'x') })
  await edge.certify(siteName)
  return edge
}

/** A client that asks for as many large files as it says and takes so much of each, then does what it does. */
async function ask(edge: Awaited<ReturnType<typeof startSite>>, files: number, window: number) {
  const socket = await edge.dial(siteName, halfOpen)
  socket.on('error', () => {}).resume()
  socket.write(preface)
  socket.write(settings(window))
  for (let count = 0; count < files; count++) socket.write(getFrame(1 + 2 * count, siteName))
  await once(socket, 'data')
  return socket
}

for (const [how, leave] of Object.entries({
  'says that it has no more to say': (socket: { end(): void }) => socket.end(),
  'is gone': (socket: { destroy(): void }) => socket.destroy(),
})) {
  for (const files of [0, 1, 100]) {
    test(`a client that ${how} with ${files} answers stalled is closed immediately`, async () => {
      await using edge = await startSite()
      const sockets = await Promise.all(Array.from({ length: 3 }, () => ask(edge, files, 1000)))
      await until(() => files === 0 || edge.files.length > 0)
      for (const socket of sockets) leave(socket)
      await until(() => edge.listener.connections() === 0 && edge.files.every(({ closed }) => closed))
    })
  }
}
