import type { Client } from '@masthead/client/client.ts'
import { ConnectionError, ProblemError } from '@masthead/client/errors.ts'
import { forEachConcurrent, packTar, uploadBatches } from '@masthead/client/upload.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { sha256 } from './hash-files.ts'
import type { OutgoingFile } from './progress.ts'

const requestsAtOnce = 4
const changedMessage = 'changed while it was being published'

export interface SendTarget {
  /** Creates a client that reports the share of a request body that was sent, from 0 to 1. */
  clientWithProgress: (sent: (fraction: number) => void) => Client
  params: { project: string; deployment: Id<'deployment'> }
  signal: AbortSignal
  changed: () => void
}

/** Files with the same content, which is sent once. */
interface Content {
  sha256: string
  size: number
  files: readonly OutgoingFile[]
}

/**
 * Sends the contents that the server lacks. A file that changed meanwhile is marked as failed and does not stop the
 * others; any other error is thrown.
 */
export async function sendFiles(
  files: readonly OutgoingFile[],
  missing: ReadonlySet<string>,
  target: SendTarget,
): Promise<void> {
  await forEachConcurrent(
    uploadBatches(contentsOf(files, missing)),
    requestsAtOnce,
    target.signal,
    (batch, signal) => sendBatch(batch, { ...target, signal }),
  )
}

function contentsOf(files: readonly OutgoingFile[], missing: ReadonlySet<string>): Content[] {
  const wanted = files.filter((file) => file.sha256 !== null && missing.has(file.sha256))
  return [...Map.groupBy(wanted, (file) => file.sha256 ?? '')].map(([digest, same]) => ({
    sha256: digest,
    size: same[0]?.size ?? 0,
    files: same,
  }))
}

async function sendBatch(batch: readonly Content[], target: SendTarget): Promise<void> {
  mark(batch, 'sending', target)
  const [first, ...others] = batch
  try {
    if (first !== undefined && others.length === 0) await sendAlone(first, target)
    else await sendTogether(batch, target)
  } catch (error) {
    mark(batch, 'hashed', target)
    throw error
  }
  mark(batch, 'sent', target)
}

async function sendAlone(
  content: Content,
  { clientWithProgress, params, signal, changed }: SendTarget,
): Promise<void> {
  const [file] = content.files
  const body = await file?.readable()
  if (file === undefined || body == null) return
  const client = clientWithProgress((fraction) => reportProgress([content], fraction, changed))
  try {
    await client.putFile({ params: { ...params, sha256: content.sha256 }, body, signal })
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'digest_mismatch') return fail(content)
    // A file that changes during a request aborts it, which looks like a lost connection.
    if (error instanceof ConnectionError && (await file.readable()) === null) return
    throw error
  }
}

async function sendTogether(
  batch: readonly Content[],
  { clientWithProgress, params, signal, changed }: SendTarget,
): Promise<void> {
  const packed = []
  for (const content of batch) {
    const bytes = await content.files[0]?.content()
    if (bytes == null) continue
    // Check here: the server could not say which file of the batch is wrong.
    if ((await sha256(bytes)) === content.sha256) packed.push({ name: content.sha256, content: bytes })
    else fail(content)
  }
  if (packed.length === 0) return
  const archive = await gzipped(packTar(packed))
  const client = clientWithProgress((fraction) => reportProgress(batch, fraction, changed))
  await client.putFiles({ params, archive, type: 'application/gzip', signal })
}

function gzipped(tar: Uint8Array<ArrayBuffer>): Promise<Blob> {
  return new Response(new Blob([tar]).stream().pipeThrough(new CompressionStream('gzip'))).blob()
}

function reportProgress(batch: readonly Content[], fraction: number, changed: () => void): void {
  for (const { files } of batch) for (const file of files) file.bytesSent = file.size * fraction
  changed()
}

function mark(batch: readonly Content[], state: OutgoingFile['state'], { changed }: SendTarget): void {
  for (const { files } of batch) {
    // If a content fails, all files with that content fail and are hashed again.
    if (files[0]?.state === 'failed') for (const file of files) file.fail(files[0].reason ?? changedMessage)
    else for (const file of files) Object.assign(file, { state, bytesSent: 0 })
  }
  changed()
}

function fail({ files }: Content): void {
  for (const file of files) file.fail(changedMessage)
}
