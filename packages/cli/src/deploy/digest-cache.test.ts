import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace, type Workplace } from '../../test/workplace.ts'
import { DigestCache } from './digest-cache.ts'
import { hashFiles } from './hash-files.ts'
import { type FoundFile, listFolder } from './list-files.ts'

const server = serverForFile()
const { signal } = new AbortController()
const later = () => Date.now() + 10_000

/** A folder to publish, and how many of its files a deploy at the given time would read. */
async function publishedFolder(files: Record<string, string>) {
  const folder = await temporaryFolder('masthead-digests')
  const site = join(folder.path, 'site')
  await mkdir(site)
  for (const [name, content] of Object.entries(files)) await writeFile(join(site, name), content)
  const env = { XDG_CACHE_HOME: join(folder.path, 'cache') }
  const documents = join(folder.path, 'cache', 'masthead', 'digests-1')
  async function deploy(at = later(), published = site): Promise<{ read: string[]; digests: string[] }> {
    const cache = new DigestCache(env, published, at)
    const read: string[] = []
    const found = await listFolder(site, defaultUploadLimits)
    const hashed = await hashFiles(
      found,
      signal,
      () => {},
      (file) => {
        const known = cache.find(file)
        if (known === undefined) read.push(file.path)
        return known
      },
    )
    cache.save(hashed)
    return { read, digests: hashed.map(({ sha256 }) => sha256) }
  }
  return { ...folder, site, documents, deploy }
}

const digests = (...contents: string[]) => contents.map((content) => hash('sha256', content))

test('unchanged files are not read again, new and changed ones are', async () => {
  await using folder = await publishedFolder({ a: 'one', b: 'two' })
  assert.deepEqual(await folder.deploy(), { read: ['/a', '/b'], digests: digests('one', 'two') })
  assert.deepEqual(await folder.deploy(), { read: [], digests: digests('one', 'two') })
  await writeFile(join(folder.site, 'b'), 'longer')
  await writeFile(join(folder.site, 'c'), '')
  assert.deepEqual(await folder.deploy(), { read: ['/b', '/c'], digests: digests('one', 'longer', '') })
  await rm(join(folder.site, 'a'))
  assert.deepEqual(await folder.deploy(), { read: [], digests: digests('longer', '') })
  assert.ok(
    !(await readFile(join(folder.documents, (await readdir(folder.documents))[0] ?? ''), 'utf8')).includes(
      '/a"',
    ),
  )
})

test('files are found in any order, also twice', async () => {
  await using folder = await publishedFolder({ a: 'one', b: 'two', c: 'three' })
  await folder.deploy()
  const cache = new DigestCache({ XDG_CACHE_HOME: join(folder.path, 'cache') }, folder.site, later())
  const found = await listFolder(folder.site, defaultUploadLimits)
  const [a, b, c] = found as [FoundFile, FoundFile, FoundFile]
  const stranger = { ...a, location: join(folder.site, 'd') }
  assert.deepEqual(
    [c, a, stranger, a, b, c, c].map((file) => cache.find(file)),
    [...digests('three', 'one'), undefined, ...digests('one', 'two', 'three', 'three')],
  )
})

test('a file that changed shortly before it was read is read again', async () => {
  await using folder = await publishedFolder({ a: 'one' })
  for (let n = 0; n < 3; n++) assert.deepEqual((await folder.deploy(Date.now())).read, ['/a'])
})

test('other content of the same size and modification time is noticed, written in place or moved there', async () => {
  await using folder = await publishedFolder({ a: 'one', b: 'two' })
  await folder.deploy()
  const { atime, mtime } = await stat(join(folder.site, 'a'))
  await writeFile(join(folder.site, 'a'), 'eno')
  await writeFile(join(folder.path, 'aside'), 'owt')
  await rename(join(folder.path, 'aside'), join(folder.site, 'b'))
  for (const name of ['a', 'b']) await utimes(join(folder.site, name), atime, mtime)
  assert.deepEqual(await folder.deploy(), { read: ['/a', '/b'], digests: digests('eno', 'owt') })
})

test('a file system that shows whole seconds is not trusted', async () => {
  await using folder = await publishedFolder({ a: 'one' })
  const [found] = await listFolder(folder.site, defaultUploadLimits)
  assert.ok(found)
  const env = { XDG_CACHE_HOME: join(folder.path, 'cache') }
  const sha256 = hash('sha256', 'one')
  for (const ctimeMs of [1_700_000_000_000, 1_700_000_000_001]) {
    const file = { ...found, sha256, stats: { ino: 1, mtimeMs: 1_700_000_000_000, ctimeMs } }
    new DigestCache(env, folder.site, later()).save([file])
    const known = new DigestCache(env, folder.site, later()).find(file)
    assert.equal(known, ctimeMs % 1000 === 0 ? undefined : sha256)
  }
})

test('only the folders published last are remembered', async () => {
  await using folder = await publishedFolder({ a: 'one' })
  for (let n = 0; n < 40; n++) await folder.deploy(later(), `${folder.site}-${n}`)
  assert.equal((await readdir(folder.documents)).length, 32)
  assert.deepEqual((await folder.deploy(later(), `${folder.site}-39`)).read, [])
})

const damages: Record<string, (document: string) => Promise<unknown>> = {
  empty: (document) => writeFile(document, ''),
  'cut short': async (document) => writeFile(document, (await readFile(document)).subarray(0, -5)),
  'with another digest': async (document) => {
    const text = await readFile(document, 'utf8')
    await writeFile(document, text.replace(hash('sha256', 'one'), hash('sha256', 'two')))
  },
  'other JSON': (document) => writeFile(document, `${hash('sha256', '{}')}\n{}`),
  'a folder': (document) => rm(document).then(() => mkdir(document)),
}

for (const [what, damage] of Object.entries(damages)) {
  test(`a cache that is ${what} is not used`, async () => {
    await using folder = await publishedFolder({ a: 'one' })
    await folder.deploy()
    const [name = ''] = await readdir(folder.documents)
    await damage(join(folder.documents, name))
    assert.deepEqual(await folder.deploy(), { read: ['/a'], digests: digests('one') })
  })
}

async function publishedContents({ client }: Workplace): Promise<Record<string, string>> {
  const active = (await client.getProject({ params: { project: 'site' } })).activeDeployment
  assert.ok(active)
  const { items } = await client.listFiles({ params: { project: 'site', deployment: active.id } })
  return Object.fromEntries(items.map(({ path, sha256 }) => [path, sha256]))
}

test('the command line publishes what is in the folder, whatever it remembers', async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'first', 'site/a.txt': 'aaaaa' })
  const file = join(place.path, 'site', 'index.html')
  const cache = join(place.path, 'cache')
  const deploy = async () => {
    const { exitCode, stderr } = await place.run('deploy site', {
      env: { ...place.signedIn, XDG_CACHE_HOME: cache },
    })
    assert.equal(exitCode, 0, stderr)
    return publishedContents(place)
  }
  const { ctimeMs, atime, mtime } = await stat(file)
  await until(() => Date.now() > ctimeMs + 2_500)
  await deploy()
  const documents = join(cache, 'masthead', 'digests-1')
  const [document = ''] = await readdir(documents)
  assert.match(await readFile(join(documents, document), 'utf8'), /index\.html/)

  const expected = (first: string) => ({
    '/index.html': hash('sha256', first),
    '/a.txt': hash('sha256', 'aaaaa'),
  })
  assert.deepEqual(await deploy(), expected('first'))
  await writeFile(file, 'other')
  await utimes(file, atime, mtime)
  assert.deepEqual(await deploy(), expected('other'))
  await rm(documents, { recursive: true })
  await writeFile(documents, 'not a folder')
  assert.deepEqual(await deploy(), expected('other'))
})
