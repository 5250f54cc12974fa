import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { day, hour } from '../../kernel/clock.ts'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import type { SpooledFile } from '../files/spool.ts'
import { ignoreBody, readDocument, type S3Body, type S3Client } from './s3-client.ts'
import { S3ContentError, S3Error } from './s3-error.ts'
import type { S3Limits } from './s3-limits.ts'
import { xmlElements, xmlText } from './xml.ts'

/** Of the stored bytes, which for a compressed form is not the one in its key. */
export const digestHeader = 'x-amz-meta-sha256'

/** Smaller files are sent from memory: one read, and no stream. */
const maxInMemory = 256 * 1024
/** OpenStack Swift accepts no more; AWS ten times as many. */
const maxParts = 1_000
const partsAtOnce = 3
const maxUploadAge = day

/** Sends a file with bounded memory. It is stored completely when this returns, and not at all when it throws. */
export async function uploadFile(
  client: S3Client,
  limits: Pick<S3Limits, 'multipartBytes' | 'partBytes'>,
  key: string,
  file: SpooledFile,
): Promise<void> {
  if (file.size > limits.multipartBytes) return uploadInParts(client, limits, key, file)
  const { path, sha256, size } = file
  const headers = { [digestHeader]: sha256 }
  if (size > maxInMemory) {
    const body = { sha256, size, open: () => createReadStream(path) }
    return client.request({ method: 'PUT', key, headers, body }, ignoreBody)
  }
  const content = await readFile(path)
  await client.request(
    { method: 'PUT', key, headers, body: { sha256, size, open: () => content } },
    ignoreBody,
  )
}

async function uploadInParts(
  client: S3Client,
  limits: Pick<S3Limits, 'partBytes'>,
  key: string,
  { path, sha256, size }: SpooledFile,
): Promise<void> {
  const headers = { [digestHeader]: sha256 }
  const created = await client.request({ method: 'POST', key, query: { uploads: '' }, headers }, readDocument)
  const uploadId = xmlText(created, 'UploadId')
  if (uploadId === null) throw new S3ContentError(`S3 started no upload in parts of ${key}`)
  try {
    const partBytes = Math.max(limits.partBytes, Math.ceil(size / maxParts))
    const starts = Array.from({ length: Math.ceil(size / partBytes) }, (_, index) => index * partBytes)
    const tags: string[] = []
    await forEachConcurrently(starts.entries(), partsAtOnce, async ([index, start]) => {
      const body = await partOf(path, start, Math.min(start + partBytes, size))
      const query = { partNumber: String(index + 1), uploadId }
      tags[index] = await client.request({ method: 'PUT', key, query, body }, async (response) => {
        await ignoreBody(response)
        return response.headers.etag ?? ''
      })
    })
    await complete(client, key, uploadId, tags, size)
  } catch (error) {
    // Not awaited: if S3 is down, this cannot succeed either. `abortStaleUploads` tries again.
    void abort(client, key, uploadId).catch(() => {})
    throw error
  }
}

/** Reads the part twice, because its digest comes first. */
async function partOf(path: string, start: number, end: number): Promise<S3Body> {
  const open = () => createReadStream(path, { start, end: end - 1 })
  const hash = createHash('sha256')
  for await (const chunk of open()) hash.update(chunk as Buffer)
  return { sha256: hash.digest('hex'), size: end - start, open }
}

async function complete(
  client: S3Client,
  key: string,
  uploadId: string,
  tags: readonly string[],
  size: number,
): Promise<void> {
  const parts = tags.map(
    (tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
  )
  const document = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
  const sha256 = createHash('sha256').update(document).digest('hex')
  const body = { sha256, size: document.byteLength, open: () => document }
  const request = { method: 'POST', key, query: { uploadId }, body } as const
  try {
    await client.request(request, async (response) => {
      // The status is sent before the work is done, so only the document tells how it ended.
      const result = await readDocument(response)
      const code = xmlText(result, 'Code')
      if (code !== null) throw new S3Error(`the last step of uploading ${key}`, 500, code)
    })
  } catch (error) {
    // The response to an earlier attempt may have been lost.
    if (!isUnknownUpload(error) || (await storedSize(client, key)) !== size) throw error
  }
}

const isUnknownUpload = (error: unknown) => error instanceof S3Error && error.code === 'NoSuchUpload'

async function storedSize(client: S3Client, key: string): Promise<number> {
  const headers = { range: 'bytes=0-0' }
  return client.request({ method: 'GET', key, headers }, async (response) => {
    await ignoreBody(response)
    return Number(response.headers['content-range']?.split('/')[1])
  })
}

async function abort(client: S3Client, key: string, uploadId: string): Promise<void> {
  await client.request({ method: 'DELETE', key, query: { uploadId } }, ignoreBody)
}

/**
 * Removes parts that killed processes left behind, now and every hour: a process that starts right after it was killed
 * finds them too young. S3 keeps and charges for them otherwise. Returns a function that ends it.
 */
export function abortStaleUploads(
  client: S3Client,
  prefix: string,
  onError: (error: unknown) => void,
  { everyMs = hour, now = Date.now } = {},
): () => void {
  let isStopped = false
  async function run(): Promise<void> {
    while (!isStopped) {
      await abortUploadsBefore(client, prefix, now() - maxUploadAge).catch(onError)
      await sleep(everyMs, undefined, { ref: false })
    }
  }
  void run()
  return () => {
    isStopped = true
  }
}

async function abortUploadsBefore(client: S3Client, prefix: string, time: number): Promise<void> {
  const query = { uploads: '', prefix }
  const list = await client.request({ method: 'GET', key: null, query }, readDocument)
  for (const upload of xmlElements(list, 'Upload')) {
    const key = xmlText(upload, 'Key')
    const uploadId = xmlText(upload, 'UploadId')
    const initiated = Date.parse(xmlText(upload, 'Initiated') ?? '')
    if (key === null || uploadId === null || !key.startsWith(prefix) || !(initiated < time)) continue
    await abort(client, key.slice(prefix.length), uploadId).catch((error: unknown) => {
      // Another node was faster.
      if (!isUnknownUpload(error)) throw error
    })
  }
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
