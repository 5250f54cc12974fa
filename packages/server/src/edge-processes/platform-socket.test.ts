import assert from 'node:assert/strict'
import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { readConfig } from '../config/config.ts'
import { StartError } from '../kernel/program/process-lifetime.ts'
import { processSocketPath } from '../kernel/sockets/process-sockets.ts'
import { longestPreface } from './forwarding-protocol.ts'
import { listenForEdges } from './platform-socket.ts'

test('the socket is only accessible to its owner, replaces a leftover, and is removed afterwards', async () => {
  await using folder = await temporaryFolder('platform')
  const path = join(folder.path, 'platform.sock')
  await writeFile(path, 'left by a process that was killed')
  const socket = await listenForEdges(path, (_req, res) => res.end())
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  await socket.close()
  await assert.rejects(stat(path), { code: 'ENOENT' })
})

const introduction = 'https 192.0.2.7\n'
const request = 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'
const ways: [name: string, pieces: string[]][] = [
  ['in one piece', [introduction + request]],
  ['in two', [introduction, request]],
  ['byte by byte', [...(introduction + request)]],
]
for (const [name, pieces] of ways) {
  test(`a preface that comes ${name} is understood, and so is the request after it`, async () => {
    await using folder = await temporaryFolder('platform')
    const path = join(folder.path, 'platform.sock')
    const socket = await listenForEdges(path, ({ socket: { remoteAddress }, socket: client }, res) => {
      res.end(`${remoteAddress} ${'encrypted' in client && client.encrypted}`)
    })
    const edge = connect(path)
    for (const piece of pieces) await new Promise((resolve) => edge.write(piece, resolve))
    assert.match(await text(edge), /\r\n\r\n192\.0\.2\.7 true$/)
    await socket.close()
  })
}

for (const bytes of [request, 'http nobody\n', 'x'.repeat(longestPreface + 1)]) {
  test(`a connection that starts with ${JSON.stringify(bytes.slice(0, 20))} is closed without an answer`, async () => {
    await using folder = await temporaryFolder('platform')
    const path = join(folder.path, 'platform.sock')
    const socket = await listenForEdges(path, (_req, res) => res.end('secret'))
    const stranger = connect(path).on('error', () => {})
    stranger.write(bytes)
    let received = ''
    stranger.setEncoding('latin1').on('data', (chunk) => {
      received += chunk
    })
    await once(stranger, 'close')
    assert.equal(received, '')
    await socket.close()
  })
}

test('a data folder whose path is too long for a socket is refused with the allowed length', () => {
  const fits = (length: number) => () =>
    processSocketPath('platform', readConfig({ MASTHEAD_DATA: `/${'d'.repeat(length - 1)}` }))
  assert.throws(fits(200), (error) => {
    assert.ok(error instanceof StartError)
    assert.match(error.message, /^MASTHEAD_DATA: /)
    const most = Number(/at most (\d+) bytes/.exec(error.message)?.[1])
    assert.doesNotThrow(fits(most))
    assert.throws(fits(most + 1), StartError)
    return true
  })
})
