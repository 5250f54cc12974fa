import assert from 'node:assert/strict'
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { answerDatagrams, type Datagrams } from './datagrams.ts'

const question = Buffer.from('question')

async function start(replyTo: Datagrams['replyTo']) {
  const logged: string[] = []
  const socket = createSocket('udp4')
  await once(socket.bind(0, '127.0.0.1'), 'listening')
  const log = { warn: (_details: object, message: string) => void logged.push(message) }
  const { close } = answerDatagrams(socket, { replyTo, log })
  const { port } = socket.address()
  const asker = createSocket('udp4')
  return {
    logged,
    /** Simulates a sender: only raw packets can come from port 0. */
    arrives: (message: Buffer, from: Partial<RemoteInfo>) =>
      socket.emit('message', message, {
        address: '127.0.0.1',
        family: 'IPv4',
        size: message.length,
        ...from,
      }),
    async ask(message: Buffer): Promise<string> {
      asker.send(message, port, '127.0.0.1')
      const [reply] = (await once(asker, 'message', { signal: AbortSignal.timeout(5_000) })) as [Buffer]
      return reply.toString()
    },
    close,
    [Symbol.dispose]() {
      close()
      asker.close()
    },
  }
}

test('a datagram from port 0 is dropped, and the next query is answered', async () => {
  using datagrams = await start(async () => Buffer.from('answer'))
  datagrams.arrives(question, { port: 0 })
  assert.equal(await datagrams.ask(question), 'answer')
  assert.deepEqual(datagrams.logged, [])
})

test('an unreachable sender and a failed reply are only logged', async () => {
  using datagrams = await start(async (message) => {
    if (message.length === 0) throw new Error('nobody expected this')
    return Buffer.from('answer')
  })
  datagrams.arrives(question, { port: 70_000 })
  // As many as may be in progress at once, so that a missing decrement would be noticed.
  for (let i = 0; i < 500; i++) datagrams.arrives(Buffer.alloc(0), { port: 9 })
  assert.equal(datagrams.logged.length, 0)
  await new Promise(setImmediate)
  assert.equal(await datagrams.ask(question), 'answer')
  assert.equal(datagrams.logged.length, 500)
})

test('a reply that is ready after closing is not sent', async () => {
  const gate = Promise.withResolvers<Buffer>()
  const datagrams = await start(() => gate.promise)
  datagrams.arrives(question, { port: 9 })
  datagrams[Symbol.dispose]()
  gate.resolve(Buffer.from('late'))
  await new Promise(setImmediate)
  assert.deepEqual(datagrams.logged, [])
})
