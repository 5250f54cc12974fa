import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { passwordMatches } from '../../people/password.ts'
import { digestOf, type Publishing, type Site, startPublishing } from '../deployments.test-kit.ts'
import { encodeNextDeployment } from '../encode/encode-deployment.ts'
import { readRules } from '../manifest-document.ts'
import { sweep } from '../sweep/sweep.ts'

const password = 'correct-horse-staple'

/** Ways to write a password, whether or not it is of any use. */
const spellings: Record<string, Site> = {
  _headers: { '/_headers': `/*\n  X-Frame-Options: DENY\n/members/*\n  Basic-Auth: mia:${password}\n` },
  '_headers in capitals': { '/_headers': `/*\r\n\tBASIC-AUTH : mia:${password}\r\n` },
  'a line without colon': { '/_headers': `/*\n  Basic-Auth mia=${password}\n` },
  'a line without path': { '/_headers': `Basic-Auth: mia:${password}\n` },
  'masthead.json': { '/masthead.json': JSON.stringify({ protect: { for: '/*', password } }) },
  'escaped members': {
    '/masthead.json': `{"pro\\u0074ect": [{"for": "/*", "p\\u0061ssword": "${password}"}]}`,
  },
  'broken JSON': { '/masthead.json': `{"protect": [{"for": "/*", "password": "${password}"}` },
  'YAML that is not read': { '/masthead.yaml': `protect:\n  - for: /*\n    password: ${password}\n` },
  'netlify.toml': {
    '/netlify.toml': `[[headers]]\nfor = "/*"\n[headers.values]\nBasic-Auth = "mia:${password}"\n`,
  },
  'several files': {
    '/_headers': `/a\n  Basic-Auth: mia:${password}\n`,
    '/masthead.json': JSON.stringify({ protect: { for: '/b', users: { mia: password } } }),
  },
}

/** Whether something on the disk has the text, compressed or not. */
async function isOnDisk({ folder, onDisk }: Publishing, text: string): Promise<boolean> {
  const decoders = { br: brotliDecompressSync, zst: zstdDecompressSync, gz: gunzipSync }
  for (const path of await onDisk()) {
    const content = await readFile(join(folder, path))
    const decode = decoders[path.split('.').at(-1) as keyof typeof decoders] ?? ((same: Buffer) => same)
    if (decode(content).includes(text)) return true
  }
  return false
}

onEachDatabase('files with passwords', ({ open }) => {
  test('are not stored, however they are written and sent', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    for (const [name, files] of Object.entries(spellings)) {
      const site = { '/index.html': 'front', ...files }
      for (const publish of [publishing.publish, publishing.sendArchive]) {
        const { id } = await publish(site)
        await sweep(context)
        while (await encodeNextDeployment(context)) publishing.clock.at++
        assert.equal(await isOnDisk(publishing, password), false, name)
        // A digest of a short file would give the password away to anyone who tries many.
        for (const content of Object.values(files)) {
          assert.equal(await isOnDisk(publishing, digestOf(content)), false, name)
        }
        for (const { credentials } of (await readRules(context.blobs, id))?.protect ?? []) {
          for (const { hash } of credentials) assert.ok(await passwordMatches(password, hash), name)
        }
      }
    }
    assert.ok(await isOnDisk(publishing, 'front'))
  })

  test('keep their rules and findings, whatever write fails', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const site: Site = {
      '/index.html': 'front',
      '/_headers': `nonsense\n/*\n  Basic-Auth: mia:${password}\n`,
      '/_redirects': '/old /new\n',
    }
    const { deployment } = await publishing.announce(site)
    for (const content of Object.values(site)) await publishing.put(deployment, content)
    let isEnded = false
    for (let allowed = 0; !isEnded; allowed++) {
      let left = allowed
      const blobs = new Proxy(context.blobs, {
        get: (store, name) => {
          const member = Reflect.get(store, name)
          if (typeof member !== 'function') return member
          return (...args: unknown[]) => {
            if (/^(?:write|stage|commit)/.test(String(name)) && left-- === 0) throw new Error('disk full')
            return member.apply(store, args)
          }
        },
      })
      const failing = { ...context, blobs }
      isEnded = await publishing.finalize(deployment, { using: failing }).then(
        () => true,
        (error: Error) => {
          assert.equal(error.message, 'disk full')
          return false
        },
      )
    }
    // As after a crash in the transaction: everything was written, and the deployment is not ready.
    await database.write((tx) =>
      tx.updateTable('deployments').set({ state: 'uploading', diagnostics: null }).execute(),
    )
    const ready = await publishing.finalize(deployment)
    const findings = JSON.parse(ready.diagnostics ?? '[]') as { file: string; line: number }[]
    assert.deepEqual(
      findings.map(({ file, line }) => [file, line]),
      [['/_headers', 1]],
    )
    const stored = await readRules(context.blobs, ready.id)
    assert.equal(stored?.redirects.length, 1)
    const hash = stored?.protect?.[0]?.credentials[0]?.hash ?? ''
    assert.ok(await passwordMatches(password, hash))
    await sweep(context)
    assert.equal(await isOnDisk(publishing, password), false)
  })

  test('stay where another file of the site has the same content', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const headers = `/*\n  Basic-Auth: mia:${password}\n`
    const ready = await publishing.publish({ '/example.txt': headers, '/_headers': headers })
    await sweep(publishing.context)
    assert.equal((await publishing.contents(ready))['/example.txt'], headers)
  })

  test('are asked for again when a site is copied as it is stored', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const withheld = await publishing.publish({ '/_headers': `/*\n  Basic-Auth: mia:${password}\n` })
    const { '/_headers': replacement = '' } = await publishing.contents(withheld)
    const { id } = await publishing.publish({ '/_headers': replacement, '/_redirects': '/a /b' })
    const stored = await readRules(publishing.context.blobs, id)
    const closed = stored?.protect?.map(({ from, credentials }) => [from, credentials])
    assert.deepEqual([stored?.redirects.length, closed], [1, [['/*', []]]])
  })
})
