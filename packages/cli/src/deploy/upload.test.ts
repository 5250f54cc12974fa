import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '@masthead/client/client.ts'
import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { StandInServer } from '../../test/stand-in-server.ts'
import { hashFiles } from './hash-files.ts'
import { listFolder } from './list-files.ts'
import { uploadFiles } from './upload.ts'

async function hashedFolder(content: string) {
  const folder = await temporaryFolder('masthead-upload')
  const server = await StandInServer.start()
  await writeFile(join(folder.path, 'file.txt'), content)
  const { signal } = new AbortController()
  const files = await hashFiles(await listFolder(folder.path, defaultUploadLimits), signal, () => {})
  const client = createClient({ server: server.url, key: server.key, retry: { attempts: 1 } })
  return {
    files,
    change: (to: string) => writeFile(join(folder.path, 'file.txt'), to),
    upload: () => uploadFiles(files, { client, project: 'p', deployment: 'dpl_1', signal }, () => {}),
    remove: folder.remove,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await folder.remove()
    },
  }
}

const large = 'x'.repeat(2 * 1024 ** 2)

test('digests are those of the content, read at once or in pieces', async () => {
  for (const content of ['', 'small', large]) {
    await using folder = await hashedFolder(content)
    assert.equal(folder.files[0]?.sha256, hash('sha256', content))
    assert.equal(folder.files[0]?.size, content.length)
    await folder.upload()
  }
})

test('a file that changed, grew or vanished after it was hashed is named', async () => {
  const changed = { code: 'file_changed', message: 'file.txt changed while it was being published.' }
  for (const content of ['small', large]) {
    await using folder = await hashedFolder(content)
    await folder.change(content.replace(/.$/, 'y'))
    await assert.rejects(folder.upload(), changed)
    await folder.change(`${content}${content}`)
    await assert.rejects(folder.upload(), changed)
    await folder.remove()
    await assert.rejects(folder.upload(), changed)
  }
})

test('of many files sent together, the one that changed is named', async () => {
  await using folder = await temporaryFolder('masthead-upload')
  await using server = await StandInServer.start()
  for (const name of ['a', 'b', 'c']) await writeFile(join(folder.path, name), name)
  const { signal } = new AbortController()
  const files = await hashFiles(await listFolder(folder.path, defaultUploadLimits), signal, () => {})
  await writeFile(join(folder.path, 'b'), 'B')
  const client = createClient({ server: server.url, key: server.key, retry: { attempts: 1 } })
  const upload = uploadFiles(files, { client, project: 'p', deployment: 'dpl_1', signal }, () => {})
  await assert.rejects(upload, { code: 'file_changed', message: 'b changed while it was being published.' })
  assert.equal(server.blobs.size, 0)
})
