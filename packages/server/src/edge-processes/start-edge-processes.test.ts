import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { checkPortCanBeShared } from './start-edge-processes.ts'

async function listening(options: { port?: number; reusePort: boolean }) {
  const server = createServer().listen({ host: '127.0.0.1', port: 0, ...options })
  await once(server, 'listening')
  return server
}

test('a port that a foreign process shares does not count as free', async () => {
  const stranger = await listening({ reusePort: true })
  const { port } = stranger.address() as AddressInfo
  await assert.rejects(checkPortCanBeShared({ host: '127.0.0.1', port }), { code: 'EADDRINUSE' })
  stranger.close()
})

test('a port whose last listener is closing is waited for, and can be shared afterwards', async () => {
  const going = await listening({ reusePort: true })
  const { port } = going.address() as AddressInfo
  const checked = checkPortCanBeShared({ host: '127.0.0.1', port })
  going.close()
  await checked
  const [one, two] = [await listening({ port, reusePort: true }), await listening({ port, reusePort: true })]
  one.close()
  two.close()
})
