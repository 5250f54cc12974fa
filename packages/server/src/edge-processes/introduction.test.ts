import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, longestIntroduction, readIntroduction, writeIntroduction } from './introduction.ts'

const clients: Client[] = [
  { scheme: 'http', address: '127.0.0.1' },
  { scheme: 'https', address: '2001:db8::7' },
  { scheme: 'https', address: '::ffff:192.0.2.7' },
  { scheme: 'http', address: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%enp0s31f6.4094' },
]
for (const client of clients) {
  test(`${client.address} over ${client.scheme} is read as it was written`, () => {
    const line = writeIntroduction(client)
    assert.ok(line.length <= longestIntroduction)
    assert.deepEqual(readIntroduction(line.trimEnd()), client)
  })
}

const refused = ['', 'http', 'http ', 'ftp 127.0.0.1', 'http 127.0.0.1 ', 'http localhost', 'GET / HTTP/1.1']
for (const line of refused) {
  test(`${JSON.stringify(line)} introduces nobody`, () => {
    assert.equal(readIntroduction(line), null)
  })
}
