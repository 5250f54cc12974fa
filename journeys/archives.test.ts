import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Client, createClient } from '@masthead/client/client.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

let masthead: MastheadProcess
let api: Client
before(async () => {
  masthead = await MastheadProcess.start()
  const { key } = await createPublisher(masthead)
  api = createClient({ server: masthead.origin, key })
})
after(() => masthead.stop())

const published = {
  'index.html': 'front page',
  'css/site.css': 'body {}',
  'docs/masthead.json': '{}',
  '.well-known/security.txt': 'Contact: us',
}
const secret = {
  '.env': 'PASSWORD=1',
  '.htpasswd': 'ada:x',
  '.git/HEAD': 'ref: refs/heads/main',
  'css/.git/config': '[core]',
  'node_modules/left-pad/index.js': 'module.exports = 0',
  '.DS_Store': 'Bud1',
  '._index.html': 'Mac OS X',
  'css/._site.css': 'Mac OS X',
}
const leftOutPaths = [
  '/._index.html',
  '/.DS_Store',
  '/.env',
  '/.git/',
  '/.htpasswd',
  '/css/._site.css',
  '/css/.git/',
  '/node_modules/',
]

/** A typical folder, with the files that macOS adds to archives. */
async function siteFolder() {
  const folder = await temporaryFolder('masthead-archives')
  const files = { ...published, ...secret }
  for (const [path, content] of Object.entries(files)) await write(`my site/${path}`, content)
  await write('__MACOSX/my site/._index.html', 'Mac OS X')
  // Installed packages contain symlinks, which cannot be published.
  await mkdir(join(folder.path, 'my site/node_modules/.bin'))
  await symlink('../left-pad/index.js', join(folder.path, 'my site/node_modules/.bin/left-pad'))
  return folder

  async function write(path: string, content: string): Promise<void> {
    const location = join(folder.path, path)
    await mkdir(dirname(location), { recursive: true })
    await writeFile(location, content)
  }
}

/** Commands that pack the current folder. `$1` is the archive, the rest is what goes into it. */
const packers = {
  'GNU tar': 'tar -czf "$@"',
  'GNU tar, pax format': 'tar --format=pax -czf "$@"',
  bsdtar: 'bsdtar -czf "$@"',
  zip: 'zip -q -r -y "$@"',
  'zip without entries for folders': 'zip -q -r -y -D "$@"',
  'bsdtar as zip': 'bsdtar --format=zip -cf "$@"',
}
const needed = skipWithout('zip', 'bsdtar')

/** The folder to run in, and what to pack. */
const layouts = {
  'the folder': ['.', 'my site'],
  'the folder by a path': ['.', './my site'],
  'the folder with what macOS adds': ['.', 'my site', '__MACOSX'],
  'what is in the folder': ['my site', '.'],
} as const

for (const [tool, command] of Object.entries(packers)) {
  test(`a site packed by ${tool} is served from its front page on, without hidden files`, {
    skip: needed,
  }, async () => {
    await using folder = await siteFolder()
    const slug = tool.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    const params = { project: (await api.createProject({ body: { slug } })).id }
    const isZip = tool.includes('zip')
    for (const [layout, [from, ...what]] of Object.entries(layouts)) {
      const file = join(folder.path, `${slug}${layout.replaceAll(' ', '-')}.${isZip ? 'zip' : 'tar.gz'}`)
      const cwd = join(folder.path, from)
      await promisify(execFile)('sh', ['-c', command, 'sh', file, ...what], { cwd })
      const archive = new Uint8Array(await readFile(file))
      const type = isZip ? 'application/zip' : 'application/gzip'
      const { leftOut, diagnostics } = await api.createDeployment({ params, archive, type })
      for (const [path, content] of Object.entries(published)) {
        assert.deepEqual(
          await visit(masthead, slug, `/${path.replace('index.html', '')}`),
          { status: 200, body: content },
          `${layout}: ${path}`,
        )
      }
      for (const path of [
        ...Object.keys(secret),
        '__MACOSX/my%20site/._index.html',
        'my%20site/index.html',
      ]) {
        assert.equal((await visit(masthead, slug, `/${path}`)).status, 404, `${layout}: ${path}`)
      }
      const listed = leftOut.paths.filter((path) => path !== '/__MACOSX/')
      assert.deepEqual(listed, [...leftOutPaths].sort(), layout)
      assert.ok(leftOut.files >= Object.keys(secret).length)
      assert.deepEqual(diagnostics, [])
    }
  })
}
