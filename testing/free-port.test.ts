import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort, releaseIfAbandoned } from './free-port.ts'

test('no port is given out twice, even before anybody listens on it', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, freePort))
  assert.equal(new Set(ports).size, ports.length)
  for (const port of ports.slice(0, 5)) {
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    server.close()
  }
})

test('a process that has ended keeps no port', async () => {
  const url = new URL('free-port.ts', import.meta.url).href
  const claimsOf = (end: string) => {
    const program = `const { claimsFolder, freePort } = await import('${url}')
      console.log(claimsFolder + '/' + (await freePort())); ${end}`
    const child = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    })
    return child.stdout.trim()
  }
  assert.ok(!existsSync(claimsOf('')))
  // One that was killed could not clean up; the next process to draw the port does.
  const left = claimsOf("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})")
  assert.ok(existsSync(left))
  releaseIfAbandoned(left)
  assert.ok(!existsSync(left))
})
