import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { isNewer, newerServerNote } from './newer-server.ts'

test('versions are compared by their numbers', () => {
  for (const [version, than] of [
    ['0.1.1', '0.1.0'],
    ['0.10.0', '0.9.9'],
    ['1.0.0', '0.99.99'],
    ['2.0.0-rc.1', '1.9.9'],
  ] as const) {
    assert.equal(isNewer(version, than), true, version)
    assert.equal(isNewer(than, version), false, version)
  }
  for (const odd of ['', '0.1', 'latest', '\x1b[31m9.9.9', '99999999999.0.0', '0.1.0']) {
    assert.equal(isNewer(odd, '0.1.0'), false, odd)
  }
})

test('a newer server says so once a day, per server, and a broken file does no harm', async () => {
  const folder = await temporaryFolder('masthead-newer')
  const noon = Date.UTC(2030, 0, 1, 12)
  const note = (server: string, now: number, version: string | null = '0.2.0') =>
    newerServerNote({ server, version, own: '0.1.0', now, env: { XDG_CACHE_HOME: folder.path } })
  const said =
    'https://a.example has a newer command line, 0.2.0. This is 0.1.0. Update it: see https://a.example/cli'
  assert.equal(note('https://a.example', noon), said)
  assert.equal(note('https://a.example', noon + 60_000), null)
  assert.notEqual(note('https://b.example', noon), null)
  assert.equal(note('https://a.example', noon, '0.1.0'), null)
  assert.equal(note('https://a.example', noon, null), null)
  assert.equal(note('https://a.example', noon + 86_400_000), said)
  await writeFile(join(folder.path, 'masthead', 'newer-servers.json'), '[broken')
  assert.equal(note('https://a.example', noon + 86_400_000), said)
  await folder.remove()
})
