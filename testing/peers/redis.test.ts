import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { skipWithout } from './peers.ts'
import { startRedis } from './redis.ts'

const skip = skipWithout('redis')

/** What Redis says to a command, or the code of the error on the way, or null if it stays silent. */
async function say(url: string, command: string, patienceMs = 20_000): Promise<string | null> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  try {
    socket.write(`${command}\r\n`)
    const [reply] = (await once(socket, 'data', { signal: AbortSignal.timeout(patienceMs) })) as [Buffer]
    return reply.toString().trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ABORT_ERR' ? null : String(code)
  } finally {
    socket.destroy()
  }
}

test('a paused server says nothing, and goes on where it was', { skip }, async () => {
  await using redis = await startRedis()
  assert.equal(await say(redis.url, 'SET a 1'), '+OK')
  redis.pause()
  assert.equal(await say(redis.url, 'GET a', 500), null)
  redis.resume()
  assert.equal(await say(redis.url, 'GET a'), '$1\r\n1')
})

test('a stopped server is gone, paused or not, and starts empty on the same port', { skip }, async () => {
  await using redis = await startRedis()
  await say(redis.url, 'SET a 1')
  redis.pause()
  await redis.stop()
  assert.equal(await say(redis.url, 'GET a'), 'ECONNREFUSED')
  await redis.start()
  assert.equal(await say(redis.url, 'GET a'), '$-1')
})

test('a killed process leaves no server behind', { skip }, async () => {
  const program = `
    import { startRedis } from ${JSON.stringify(import.meta.resolve('./redis.ts'))}
    console.log((await startRedis()).url)
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string]
  const url = line.trim()
  assert.equal(await say(url, 'PING'), '+PONG')

  owner.kill('SIGKILL')
  await until(async () => (await say(url, 'PING')) === 'ECONNREFUSED')
})
