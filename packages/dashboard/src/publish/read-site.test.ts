import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { type Entry, entryOf } from './collect-files.ts'
import { type Reading, readSite } from './read-site.ts'
import type { FolderSite, SiteUpload } from './site.ts'

/** A folder like Chromium's: 100 entries per call, then none. */
function folder(name: string, inside: readonly Entry[]): Entry {
  return {
    isDirectory: true,
    name,
    createReader() {
      let at = 0
      return {
        readEntries(done) {
          done(inside.slice(at, at + 100))
          at += 100
        },
      }
    },
  }
}

const file = (name: string, content = name) => entryOf(new File([content], name))

function chosen(path: string): File {
  const made = new File([path], path.split('/').at(-1) ?? '')
  Object.defineProperty(made, 'webkitRelativePath', { value: path })
  return made
}

const reading: Reading = {
  limits: defaultUploadLimits,
  canHash: true,
  signal: new AbortController().signal,
  found: () => {},
}

function pathsOf(site: SiteUpload): string[] {
  assert.equal(site.kind, 'folder')
  return (site as FolderSite).files.map(({ path }) => path)
}

const drop = (entries: Entry[], change: Partial<Reading> = {}) =>
  readSite({ kind: 'dropped', entries }, { ...reading, ...change })

test('the contents of a dropped folder become the root of the site', async () => {
  const site = await drop([folder('acme', [file('index.html'), folder('docs', [file('a b.html')])])])
  assert.deepEqual(pathsOf(site), ['/docs/a b.html', '/index.html'])
  assert.equal(site.name, 'acme')
})

test('a folder of 350 files is read completely, although browsers return 100 at a time', async () => {
  const many = Array.from({ length: 350 }, (_, i) => file(`${i}.html`))
  assert.equal(pathsOf(await drop([folder('many', [folder('inside', many)])])).length, 350)
})

test('ignored files are left out, whether dropped or chosen', async () => {
  const site = await drop([
    folder('acme', [
      file('index.html'),
      file('.env'),
      file('masthead.json'),
      folder('.git', [file('config')]),
      folder('.well-known', [file('security.txt')]),
      folder('docs', [file('.DS_Store'), file('masthead.json'), folder('node_modules', [file('x.js')])]),
    ]),
  ])
  const expected = ['/.well-known/security.txt', '/docs/masthead.json', '/index.html', '/masthead.json']
  assert.deepEqual(pathsOf(site), expected)
  const leftOut = ['/.env', '/.git/', '/docs/.DS_Store', '/docs/node_modules/']
  assert.deepEqual((site as FolderSite).leftOut, leftOut)
  const paths = [
    'acme/index.html',
    'acme/.env',
    'acme/masthead.json',
    'acme/.git/config',
    'acme/.well-known/security.txt',
    'acme/docs/.DS_Store',
    'acme/docs/masthead.json',
    'acme/docs/node_modules/x.js',
  ]
  const same = await readSite({ kind: 'folder', files: paths.map(chosen) }, reading)
  assert.deepEqual(pathsOf(same), expected)
  assert.deepEqual((same as FolderSite).leftOut, leftOut)
  assert.equal(same.name, 'acme')
})

test('loose files are a site without a name; a single archive is an archive', async () => {
  const loose = await drop([file('index.html'), folder('img', [file('a.png')])])
  assert.deepEqual(pathsOf(loose), ['/img/a.png', '/index.html'])
  assert.equal(loose.name, null)
  const archive = await drop([file('acme.tar.gz')])
  assert.deepEqual([archive.kind, archive.name], ['archive', 'acme.tar.gz'])
  assert.deepEqual(pathsOf(await drop([file('a.zip'), file('index.html')])), ['/a.zip', '/index.html'])
})

test('files that a browser without a dialog for folders lets people choose are loose files', async () => {
  const files = ['index.html', '.env', 'style.css'].map((name) => new File([name], name))
  for (const each of files) Object.defineProperty(each, 'webkitRelativePath', { value: '' })
  const site = await readSite({ kind: 'folder', files }, reading)
  assert.deepEqual(pathsOf(site), ['/index.html', '/style.css'])
  assert.deepEqual([site.name, (site as FolderSite).leftOut], [null, ['/.env']])
})

test('a site over the limits is rejected before anything is uploaded', async () => {
  const entries = [folder('acme', [file('a.txt', '12345'), file('b.txt', '123456789')])]
  for (const [limits, message] of [
    [{ files: 1 }, /more than 1 files/],
    [{ bytesPerFile: 6 }, /^b\.txt has 9 B, but the limit per file is 6 B\.$/],
    [{ bytesPerDeployment: 10 }, /more than 10 B/],
  ] as const) {
    await assert.rejects(drop(entries, { limits: { ...defaultUploadLimits, ...limits } }), { message })
  }
})

test('an endless tree of folders is rejected at the limit', async () => {
  const endless: Entry = {
    isDirectory: true,
    name: 'again',
    createReader: () => {
      let given = false
      return {
        readEntries(done) {
          done(given ? [] : [endless])
          given = true
        },
      }
    },
  }
  const limits = { ...defaultUploadLimits, files: 50 }
  await assert.rejects(drop([endless], { limits }), { message: /more than 50 folders/ })
})

test('names that are the same, or differ only in the encoding of accents, are rejected', async () => {
  const entries = [folder('a', [file('caf\u00e9.html'), file('cafe\u0301.html')])]
  await assert.rejects(drop(entries), { message: /café\.html, with different encodings/ })
  // Chosen one by one, from several folders.
  const loose = [file('index.html'), file('index.html')]
  await assert.rejects(drop(loose), { message: 'Two files are named index.html.' })
})

test('an empty folder and a file that is not an archive are rejected', async () => {
  await assert.rejects(drop([folder('acme', [file('.env')])]), { message: /nothing to publish in acme/ })
  await assert.rejects(drop([]), { message: /Nothing you dropped/ })
  const source = { kind: 'archive', file: new File(['x'], 'notes.pdf') } as const
  await assert.rejects(readSite(source, reading), { message: /notes\.pdf is not an archive/ })
})

test('a page that cannot hash rejects a folder and accepts an archive', async () => {
  await assert.rejects(drop([folder('acme', [file('index.html')])], { canHash: false }), { message: /HTTPS/ })
  assert.equal((await drop([file('acme.zip')], { canHash: false })).kind, 'archive')
})

test('a file that cannot be read is named, or its name is the reason', async () => {
  const unreadable = (name: string): Entry => ({
    isDirectory: false,
    name,
    file: (_done, failed) => failed(new Error('denied')),
  })
  await assert.rejects(drop([folder('acme', [unreadable('secret.txt')])]), {
    message: 'The file secret.txt cannot be read.',
  })
  await assert.rejects(drop([folder('acme', [unreadable('')])]), {
    message: 'The name of a file is not valid UTF-8.',
    fix: 'Rename it, then choose it again.',
  })
})
