import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'node:test'
import { type FaultProxy, startFaultProxy } from '@masthead/testing/peers/fault-proxy.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { type RunningSwift, startSwift } from '@masthead/testing/peers/swift.ts'
import { diskForTests, temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import type { S3Settings } from '../config/s3-values.ts'
import type { BlobStore, RemoteBlobStore } from './blob-store.ts'
import { createFileStore } from './files/file-store.ts'
import { createS3Client } from './s3/s3-client.ts'
import { defaultS3Limits, type S3Limits } from './s3/s3-limits.ts'
import { createS3Store } from './s3/s3-store.ts'

interface OpenStore<Store extends BlobStore> extends AsyncDisposable {
  store: Store
  /** The names of files that are staged. */
  inSpool(): Promise<string[]>
}

interface TroubledStore extends OpenStore<RemoteBlobStore> {
  settings: S3Settings & { swift: RunningSwift }
  proxy: FaultProxy
}

export interface StoreUnderTest {
  kind: 'files' | 's3'
  /** An empty store, removed at the end of the test's scope. */
  open(): Promise<OpenStore<BlobStore>>
}

/** Runs the same tests on files and on S3. */
export function onEachStore(name: string, tests: (store: StoreUnderTest) => void): void {
  const stores: StoreUnderTest[] = [
    { kind: 'files', open: openFileStore },
    { kind: 's3', open: () => openS3Store() },
  ]
  for (const store of stores) {
    const skip = store.kind === 's3' && skipWithout('swift')
    describe(`${name} on ${store.kind}`, { skip }, () => tests(store))
  }
}

async function openFileStore(): Promise<OpenStore<BlobStore>> {
  const folder = await temporaryFolder('masthead-blobs', diskForTests)
  return {
    store: await createFileStore(folder.path),
    inSpool: () => readdir(join(folder.path, 'staging')),
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

let ownSwift: Promise<{ swift: RunningSwift; bucket: string }> | undefined
let prefixes = 0

/** The settings for an empty folder of a bucket in the Swift of this process. */
export async function s3Settings(): Promise<S3Settings & { swift: RunningSwift }> {
  ownSwift ??= startSwift().then(async (swift) => ({ swift, bucket: await swift.createBucket() }))
  const { swift, bucket } = await ownSwift
  const { endpoint, region, accessKeyId, secretAccessKey } = swift
  const prefix = `test-${++prefixes}/`
  return {
    swift,
    bucket,
    prefix,
    endpoint,
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken: null,
    pathStyle: true,
  }
}

/** In an empty folder of the bucket, unless the settings say another. */
export async function openS3Store(
  settings?: S3Settings,
  limits: Partial<S3Limits> = {},
): Promise<OpenStore<RemoteBlobStore>> {
  const folder = await temporaryFolder('masthead-spool')
  const all = { ...defaultS3Limits, ...limits }
  const client = createS3Client(settings ?? (await s3Settings()), all)
  return {
    store: await createS3Store({ client, limits: all, spoolFolder: folder.path }),
    inSpool: () => readdir(folder.path),
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

/** The keys that S3 has below the prefix, without it. */
export async function storedKeys({
  swift,
  bucket,
  prefix,
}: S3Settings & { swift: RunningSwift }): Promise<string[]> {
  const response = await swift.request('GET', `${bucket}?list-type=2&prefix=${prefix}`)
  const keys = (await response.text()).matchAll(/<Key>([^<]*)<\/Key>/g)
  return Array.from(keys, ([, key = '']) => key.slice(prefix.length))
}

/** So that a test of giving up ends soon. */
export const impatient: Partial<S3Limits> = {
  connectMs: 1_000,
  silenceMs: 1_000,
  retryReadsMs: 500,
  retryWritesMs: 500,
}

/** A store on S3 whose requests go through a proxy that can trouble them. */
export async function openTroubledS3Store(limits: Partial<S3Limits> = {}): Promise<TroubledStore> {
  const settings = await s3Settings()
  const proxy = await startFaultProxy(settings.endpoint)
  const opened = await openS3Store({ ...settings, endpoint: proxy.url }, limits)
  return {
    ...opened,
    settings,
    proxy,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
    },
  }
}
