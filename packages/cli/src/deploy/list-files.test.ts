import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { defaultUploadLimits, type UploadLimits } from '@masthead/contract/deployments.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { FolderSize } from './folder-size.ts'
import { listFolder } from './list-files.ts'

async function folderWith(paths: readonly string[]) {
  const folder = await temporaryFolder('masthead-walk')
  for (const path of paths) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await writeFile(join(folder.path, path), path)
  }
  const link = (path: string, target: string) => symlink(target, join(folder.path, path))
  const walk = async (limits: UploadLimits | Promise<UploadLimits> = defaultUploadLimits) =>
    (await listFolder(folder.path, limits)).map(({ path }) => path)
  return { ...folder, link, walk }
}

test('files are found in every folder, and what is not meant for visitors is left out', async () => {
  await using folder = await folderWith([
    'index.html',
    'docs/guide/a b.html',
    'docs/masthead.json',
    '.well-known/security.txt',
    '.git/config',
    '.env',
    'docs/.DS_Store',
    'docs/Thumbs.db',
    'docs/Icon\r',
    'node_modules/x/index.js',
    'docs/node_modules/y.js',
    'masthead.json',
    'masthead.yaml',
  ])
  assert.deepEqual(await folder.walk(), [
    '/.well-known/security.txt',
    '/docs/guide/a b.html',
    '/docs/masthead.json',
    '/index.html',
    '/masthead.json',
    '/masthead.yaml',
  ])
})

test('links to files and folders inside are followed', async () => {
  await using folder = await folderWith(['v2/index.html', 'v2/app.js'])
  await folder.link('latest', 'v2')
  await folder.link('start.html', 'v2/index.html')
  assert.deepEqual(await folder.walk(), [
    '/latest/app.js',
    '/latest/index.html',
    '/start.html',
    '/v2/app.js',
    '/v2/index.html',
  ])
})

test('a folder that is itself reached by a link is walked', async () => {
  await using folder = await folderWith(['real/index.html'])
  await folder.link('current', 'real')
  assert.equal((await listFolder(join(folder.path, 'current'), defaultUploadLimits))[0]?.path, '/index.html')
})

test('links that point outside, nowhere, to themselves or back up are refused by name', async () => {
  for (const [target, reason] of [
    ['../..', /The link a\/stray points outside the folder/],
    ['/etc/hostname', /The link a\/stray points outside the folder/],
    ['gone.html', /The link a\/stray is broken/],
    ['stray', /The link a\/stray points to itself/],
    ['.', /The link a\/stray points to a folder that contains it/],
    ['..', /The link a\/stray points to a folder that contains it/],
  ] as const) {
    await using folder = await folderWith(['index.html', 'a/page.html'])
    await folder.link('a/stray', target)
    await assert.rejects(folder.walk(), { code: 'link_refused', message: reason }, target)
  }
})

test('two folders that link to each other are refused', async () => {
  await using folder = await folderWith(['a/1.html', 'b/2.html'])
  await folder.link('a/to-b', '../b')
  await folder.link('b/to-a', '../a')
  await assert.rejects(folder.walk(), { code: 'link_refused', message: /a folder that contains it/ })
})

const gone = (what: string) => ({
  code: 'folder_changed',
  message: `The folder changed while it was being read: ${what} was removed or replaced.`,
  fix: 'Run the command again when the folder no longer changes.',
})

test('what disappears while the folder is read is named', async () => {
  for (const what of ['a.html', 'docs', 'latest.html']) {
    await using folder = await folderWith(['.env', 'a.html', 'docs/index.html'])
    await folder.link('latest.html', 'docs/index.html')
    const remove = () => rmSync(join(folder.path, what), { recursive: true, force: true })
    await assert.rejects(listFolder(folder.path, defaultUploadLimits, remove), gone(what))
  }
  await assert.rejects(listFolder('/nowhere/site', defaultUploadLimits), gone('/nowhere/site'))
})

test('a folder that is removed or replaced before its turn is named', async () => {
  for (const replacement of [null, 'a file']) {
    await using folder = await folderWith(['a/.env', 'b/.env'])
    let other = ''
    const replaceOther = (path: string) => {
      if (other !== '') return
      other = path.startsWith('/a/') ? 'b' : 'a'
      rmSync(join(folder.path, other), { recursive: true })
      if (replacement !== null) writeFileSync(join(folder.path, other), replacement)
    }
    const error = await listFolder(folder.path, defaultUploadLimits, replaceOther).catch((error) => error)
    await assert.rejects(Promise.reject(error), gone(other))
  }
})

test('a neighbour whose name only begins like the folder is outside', async () => {
  await using folder = await folderWith(['site/index.html', 'site-private/secret.txt'])
  await folder.link('site/secret.txt', '../site-private/secret.txt')
  await assert.rejects(listFolder(join(folder.path, 'site'), defaultUploadLimits), { code: 'link_refused' })
})

test('names that differ only in how accents are written are refused', async () => {
  await using folder = await folderWith(['caf\u00e9.html', 'cafe\u0301.html'])
  await assert.rejects(folder.walk(), { code: 'path_duplicate', message: /café\.html/ })
})

test('too much is refused before it is read', async () => {
  await using folder = await folderWith(['a.txt', 'b/c/long-name.txt'])
  const limits = { files: 3, bytesPerFile: 20, bytesPerDeployment: 30 }
  assert.equal((await folder.walk(limits)).length, 2)
  for (const [change, code, message] of [
    [{ files: 1 }, 'too_many_files', /more than 1 folder/],
    [
      { bytesPerFile: 10 },
      'file_too_large',
      /^b\/c\/long-name\.txt is 17 B; the limit for a file is 10 B\.$/,
    ],
    [
      { bytesPerDeployment: 20 },
      'deployment_too_large',
      /^The folder is 22 B; the limit for a deployment is 20 B\.$/,
    ],
  ] as const) {
    await assert.rejects(folder.walk({ ...limits, ...change }), { code, message })
  }
})

test('limits that the server tells late are the same', async () => {
  await using folder = await folderWith(['a.txt', 'b/c/long-name.txt'])
  const limits = { files: 3, bytesPerFile: 20, bytesPerDeployment: 30 }
  const late = (told: UploadLimits) => new Promise<UploadLimits>((tell) => setTimeout(tell, 50, told))
  assert.equal((await folder.walk(late(limits))).length, 2)
  for (const [change, code] of [
    [{ files: 1 }, 'too_many_files'],
    [{ bytesPerFile: 10 }, 'file_too_large'],
    [{ bytesPerDeployment: 20 }, 'deployment_too_large'],
  ] as const) {
    await assert.rejects(folder.walk(late({ ...limits, ...change })), { code })
  }
  const unreachable = new Error('the server is gone')
  await assert.rejects(folder.walk(Promise.reject(unreachable)), unreachable)
})

test('a folder is not read without end before the server has told the limits', async () => {
  const { promise: limits, resolve: tell } = Promise.withResolvers<UploadLimits>()
  const size = new FolderSize(limits)
  for (let n = 0; n < defaultUploadLimits.files; n++) await size.addFolder()
  const next = size.addFolder()
  assert.equal(await Promise.race([next, new Promise((resolve) => setImmediate(resolve, 'waits'))]), 'waits')
  tell(defaultUploadLimits)
  await assert.rejects(next, { code: 'too_many_files' })
})

test('folders that link to each other over and over end at the limit', async () => {
  await using folder = await folderWith(['0/x', '1/x', '2/x', '3/x', '4/x', '5/x', '6/x'])
  for (let i = 0; i < 6; i++) {
    await folder.link(`${i}/left`, `../${i + 1}`)
    await folder.link(`${i}/right`, `../${i + 1}`)
  }
  await assert.rejects(folder.walk({ ...defaultUploadLimits, files: 100 }), { code: 'too_many_files' })
})
