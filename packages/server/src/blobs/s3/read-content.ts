import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { RemoteBlob } from '../blob-store.ts'
import type { S3Client } from './s3-client.ts'
import { isTransient, S3ConnectionError, S3ContentError, S3Error, toStoreError } from './s3-error.ts'
import { digestHeader } from './upload-file.ts'

/** All of it, checked by its digest. */
export async function readContent(client: S3Client, key: string, ownSha256: string | null): Promise<Buffer> {
  return client.request({ method: 'GET', key }, async (response) => {
    const content = await readExactly(response, lengthOf(response))
    const expected = digestOf(response, key, ownSha256)
    const sha256 = createHash('sha256').update(content).digest('hex')
    if (sha256 !== expected) throw new S3ContentError(`S3 sent ${key} with the digest ${sha256}`)
    return content
  })
}

export interface ContentRange {
  bytes: Buffer
  /** Of the whole content. */
  size: number
}

/** At most `length` bytes from `start`. */
export async function readRange(
  client: S3Client,
  key: string,
  start: number,
  length: number,
): Promise<ContentRange> {
  const headers = { range: `bytes=${start}-${start + length - 1}` }
  try {
    return await client.request({ method: 'GET', key, headers }, async (response) => {
      const received = lengthOf(response)
      const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers['content-range'] ?? '')
      const isWhole = response.statusCode === 200 && start === 0
      if (received > length || !(isWhole || Number(range?.[1]) === start)) {
        throw new S3ContentError(`S3 sent another range of ${key} than was asked for`)
      }
      return { bytes: await readExactly(response, received), size: isWhole ? received : Number(range?.[2]) }
    })
  } catch (error) {
    // Nothing at or after `start`, which is also said of an empty file.
    if (error instanceof S3Error && error.status === 416) return { bytes: Buffer.alloc(0), size: 0 }
    throw error
  }
}

/** One response for all of it. If the connection breaks, it goes on where it was. */
export async function fetchContent(
  client: S3Client,
  key: string,
  ownSha256: string | null,
  signal: AbortSignal | undefined,
): Promise<RemoteBlob> {
  const first = await client.open({ method: 'GET', key, signal })
  try {
    const size = lengthOf(first)
    const sha256 = digestOf(first, key, ownSha256)
    // Nobody will read it, and its connection must not wait for that.
    if (size === 0) first.resume()
    return { size, sha256, content: contentOf(client, key, first, size, signal) }
  } catch (error) {
    first.destroy()
    throw error
  }
}

/** Attempts without a single byte before we give up. */
const maxFutile = 3

async function* contentOf(
  client: S3Client,
  key: string,
  first: IncomingMessage,
  size: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  let response = first
  let received = 0
  for (let futile = 0; received < size; ) {
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        futile = 0
        received += chunk.byteLength
        if (received > size) throw new S3ContentError(`S3 sent too much of ${key}`)
        yield chunk
      }
      if (received < size) throw new S3ConnectionError(`S3 sent too little of ${key}`)
    } catch (error) {
      signal?.throwIfAborted()
      const isBroken = isTransient(error) || (error instanceof Error && 'code' in error)
      if (!isBroken || ++futile > maxFutile) throw toStoreError(asConnectionError(error))
      const headers = { range: `bytes=${received}-${size - 1}` }
      response = await client.open({ method: 'GET', key, headers, signal }).catch((failure: unknown) => {
        throw toStoreError(failure)
      })
      if (response.statusCode !== 206) {
        response.destroy()
        throw toStoreError(new S3ContentError(`S3 sent no range of ${key}`))
      }
    }
  }
}

function asConnectionError(error: unknown): unknown {
  if (error instanceof S3ContentError || error instanceof S3ConnectionError) return error
  return new S3ConnectionError('The connection to S3 broke in the middle of a file', { cause: error })
}

function digestOf(response: IncomingMessage, key: string, ownSha256: string | null): string {
  const stored = response.headers[digestHeader]
  const sha256 = ownSha256 ?? (typeof stored === 'string' ? stored : '')
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new S3Error(`GET ${key}: without ${digestHeader}`, 200, '')
  return sha256
}

function lengthOf(response: IncomingMessage): number {
  const length = response.headers['content-length']
  if (length === undefined || !/^\d{1,15}$/.test(length)) throw new S3ContentError('S3 did not say a length')
  return Number(length)
}

async function readExactly(response: IncomingMessage, length: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.byteLength
  }
  if (size !== length) throw new S3ContentError(`S3 sent ${size} of ${length} bytes`)
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}
