import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { runMasthead } from '../test/run-masthead.ts'

test('an answer without an end is left before it fills the memory', { timeout: 120_000 }, async () => {
  await using folder = await temporaryFolder('masthead-endless')
  const chunk = Buffer.alloc(1024 ** 2, '["a",')
  let requests = 0
  let left = 200
  const http = createServer((_incoming, outgoing) => {
    requests++
    const endless = new Readable({
      read() {
        // An end after all, so that a program which waits for it is noticed.
        this.push(left-- > 0 ? chunk : null)
      },
    })
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.on('close', () => endless.destroy())
    endless.pipe(outgoing)
  })
  await once(http.listen(0, '127.0.0.1'), 'listening')
  try {
    const server = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    const env = { MASTHEAD_SERVER: server, MASTHEAD_KEY: 'mh_abcdefghijklmnopqrstuvwxyz012345' }
    const { exitCode, stderr } = await runMasthead(['whoami'], { cwd: folder.path, env })
    assert.equal(exitCode, 1, stderr)
    assert.match(
      stderr,
      /answered with status 200, but not as Masthead's API does\. It said "\["a",.*…"\.\nCheck --server/,
    )
    assert.equal(requests, 1)
    assert.ok(left > 100, `${left} MiB were not sent`)
  } finally {
    http.closeAllConnections()
    http.close()
  }
})
