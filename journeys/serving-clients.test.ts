import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { requirePeer } from '@masthead/testing/peers/peers.ts'

/** Small, one write, several pieces, and from disk. */
const sizes = { 'small.txt': 4_000, 'one.bin': 65_536, 'many.bin': 300_000, 'disk.bin': 3_000_000 }
const content = (size: number) =>
  randomBytes(Math.ceil(size / 2))
    .toString('hex')
    .slice(0, size)
const files = Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, content(size)]))
const host = 'acme.masthead.localhost'

for (const fastSockets of ['on', 'off']) {
  test(`curl gets whole files on one connection and on several, with MASTHEAD_FAST_SOCKETS=${fastSockets}`, async () => {
    await using masthead = await MastheadProcess.start({ env: { MASTHEAD_FAST_SOCKETS: fastSockets } })
    const publisher = await createPublisher(masthead)
    await publisher.createProject('acme')
    await publisher.publishArchive('acme', tarGz({ 'index.html': 'Home', ...files }))
    const { httpPort, httpsPort } = masthead
    const ways = [
      { scheme: 'http', port: httpPort, words: ['--http1.1'] },
      { scheme: 'https', port: httpsPort, words: ['--http1.1'] },
      { scheme: 'https', port: httpsPort, words: ['--http2'] },
    ]
    for (const { scheme, port, words } of ways) {
      const urlOf = (name: string) => `${scheme}://${host}:${port}/${name}`
      const get = async (names: readonly string[]) => {
        const common = ['-sS', '--insecure', '--fail', '--resolve', `${host}:${port}:127.0.0.1`, ...words]
        const urls = names.map(urlOf)
        const { stdout } = await promisify(execFile)(requirePeer('curl'), [...common, ...urls], {
          maxBuffer: 2 ** 26,
        })
        return stdout
      }
      const names = Object.keys(files)
      const inTurn = [...names, ...names.toReversed(), 'small.txt', 'small.txt']
      const expected = inTurn.map((name) => files[name]).join('')
      assert.ok((await get(inTurn)) === expected, `${scheme} ${words.join(' ')}: one after the other`)
      const atOnce = await Promise.all([...names, ...names].map((name) => get([name])))
      for (const [index, body] of atOnce.entries())
        assert.ok(body === files[names[index % names.length] ?? ''], `${scheme} ${words.join(' ')}: at once`)
    }
  })
}
