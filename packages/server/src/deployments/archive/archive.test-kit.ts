import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { UploadLimits } from '@masthead/contract/deployments.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { createFileStore } from '../../blobs/files/file-store.ts'
import type { ArchiveFormat } from './archive.ts'
import { receiveArchive } from './receive-archive.ts'

export const limits: UploadLimits = { files: 100, bytesPerFile: 1_000_000, bytesPerDeployment: 3_000_000 }

export interface Inbox {
  blobs: BlobStore
  receive(
    format: ArchiveFormat,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    overrides?: Partial<UploadLimits>,
  ): ReturnType<typeof receiveArchive>
  /** The received contents, by path. */
  contents(format: ArchiveFormat, body: Uint8Array): Promise<Record<string, Buffer>>
  /** Receives it, and expects a refusal with this code and nothing left behind. */
  refuses(
    code: string | Error,
    format: ArchiveFormat,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    overrides?: Partial<UploadLimits>,
  ): Promise<void>
  assertEmpty(): Promise<void>
}

/** A real store in a temporary folder, with everything needed to receive an archive. */
export async function inbox(t: TestContext): Promise<Inbox> {
  const folder = await mkdtemp(join(tmpdir(), 'masthead-archive-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const blobs = await createFileStore(folder)
  const spoolFolder = join(folder, 'staging')

  const self: Inbox = {
    blobs,
    receive: (format, body, overrides) =>
      receiveArchive({
        body: body instanceof Uint8Array ? inChunks(body) : body,
        format,
        limits: { ...limits, ...overrides },
        blobs,
        spoolFolder,
      }),
    async contents(format, body) {
      const { files, staged } = await self.receive(format, body)
      await Promise.all(staged.map((blob) => blob.commit({ accountId: 'acc_test' })))
      const contents: Record<string, Buffer> = {}
      for (const [path, { sha256 }] of files)
        contents[path] = await blobs.read({ accountId: 'acc_test', sha256 })
      return contents
    },
    async refuses(code, format, body, overrides) {
      const expected = code instanceof Error ? code : { name: 'Problem', code }
      await assert.rejects(self.receive(format, body, overrides), expected)
      await self.assertEmpty()
    },
    async assertEmpty() {
      const left = await readdir(folder, { recursive: true })
      assert.deepEqual(left, ['staging'])
    },
  }
  return self
}

export async function* inChunks(bytes: Uint8Array, size = 10_007): AsyncGenerator<Uint8Array, void> {
  for (let start = 0; start < bytes.byteLength; start += size) yield bytes.subarray(start, start + size)
}

export async function* breakingOff(bytes: Uint8Array, error: Error): AsyncGenerator<Uint8Array, void> {
  yield* inChunks(bytes)
  throw error
}
