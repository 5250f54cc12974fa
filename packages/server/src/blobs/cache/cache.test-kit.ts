import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import {
  type BlobKey,
  BlobsUnavailableError,
  blobPath,
  type RemoteBlob,
  type RemoteBlobStore,
} from '../blob-store.ts'
import { createFileStore } from '../files/file-store.ts'
import { unlessMissing } from '../missing.ts'
import { type CachedStoreOptions, createCachedStore } from './cached-store.ts'

export type OriginFault =
  | 'is away'
  | 'hangs'
  | 'hangs in the middle'
  | 'trickles'
  | 'breaks off'
  | 'ends early'
  | 'flips a bit'
  | 'sends too much'

export const accountId = 'acc_0001'
export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const chunkSize = 64 * 1024

export interface FailingOrigin extends RemoteBlobStore {
  faultOf(key: BlobKey): OriginFault | null
  documentFault: 'is away' | 'hangs' | null
  /** The paths of all fetches. */
  fetched: string[]
  mostAtOnce: number
}

/** A store on another machine, played by files, that can fail in every way. */
export async function openOrigin(folder: string): Promise<FailingOrigin> {
  const store = await createFileStore(folder)
  const origin: FailingOrigin = {
    ...store,
    faultOf: () => null,
    documentFault: null,
    fetched: [],
    mostAtOnce: 0,

    async readDocument(name: string) {
      if (origin.documentFault === 'is away') throw new BlobsUnavailableError('away')
      if (origin.documentFault === 'hangs') await forever()
      return store.readDocument(name)
    },

    async fetch(key: BlobKey): Promise<RemoteBlob | null> {
      const fault = origin.faultOf(key)
      origin.fetched.push(blobPath(key))
      running++
      origin.mostAtOnce = Math.max(origin.mostAtOnce, running)
      if (fault === 'is away') {
        running--
        throw new BlobsUnavailableError('away')
      }
      if (fault === 'hangs') await forever()
      const bytes = await store.read(key).catch(() => null)
      if (bytes === null) {
        running--
        return null
      }
      return { size: bytes.length, sha256: sha256(bytes), content: contentOf(Buffer.from(bytes), fault) }
    },
  }
  let running = 0

  async function* contentOf(bytes: Buffer, fault: OriginFault | null): AsyncGenerator<Uint8Array, void> {
    try {
      const half = Math.floor(bytes.length / 2)
      if (fault === 'flips a bit') bytes[half] = (bytes[half] ?? 0) ^ 1
      if (fault === 'trickles') {
        for (const byte of bytes) {
          yield Buffer.of(byte)
          await sleep(20)
        }
      }
      const end =
        fault === null || fault === 'flips a bit' || fault === 'sends too much' ? bytes.length : half
      for (let at = 0; at < end; at += chunkSize) yield bytes.subarray(at, Math.min(end, at + chunkSize))
      if (fault === 'hangs in the middle') await forever()
      if (fault === 'breaks off') throw new BlobsUnavailableError('broken off')
      if (fault === 'sends too much') yield Buffer.from('more')
    } finally {
      running--
    }
  }

  return origin
}

/** A promise alone does not keep a process alive. */
function forever(): Promise<never> {
  return new Promise(() => {})
}

/** A cache on a folder of its own before such a store. */
export async function openCache(options: Partial<Omit<CachedStoreOptions, 'origin'>> = {}) {
  const place = await temporaryFolder('cache')
  const origin = await openOrigin(join(place.path, 'origin'))
  const logged: string[] = []
  const log = {
    info: () => {},
    warn: (_: object, message: string) => void logged.push(message),
  }
  const folder = options.folder ?? join(place.path, 'cache')
  const open = () => createCachedStore({ origin, maxBytes: 2 ** 30, log, ...options, folder })
  const store = await open()

  async function put(content: Uint8Array | string, account = accountId): Promise<BlobKey> {
    const bytes = Buffer.from(content)
    const staged = await origin.stage([bytes], bytes.length)
    await staged.commit({ accountId: account })
    return { accountId: account, sha256: staged.sha256 }
  }

  async function putForm(key: BlobKey, encoding: 'br' | 'zstd' | 'gzip', content: Uint8Array) {
    const staged = await origin.stage([content], content.length)
    await staged.commit({ ...key, encoding })
  }

  return {
    origin,
    store,
    folder,
    logged,
    put,
    putForm,
    /** What another process that starts now would use. */
    open,
    /** What is neither temporary nor a lock. */
    files: () => filesBelow(join(folder, 'content')),
    work: () => readdir(join(folder, 'work')),
    [Symbol.asyncDispose]: () => place.remove(),
  }
}

export async function filesBelow(folder: string): Promise<{ path: string; size: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  // Some may be evicted meanwhile.
  const sizes = paths.map(async (path) => ({ path, size: (await unlessMissing(stat(path), null))?.size }))
  return (await Promise.all(sizes)).flatMap(({ path, size }) => (size === undefined ? [] : [{ path, size }]))
}
