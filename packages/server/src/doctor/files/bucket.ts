import { hash, randomBytes } from 'node:crypto'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { checkBucket } from '../../blobs/s3/check-bucket.ts'
import { createS3Client, ignoreBody, readDocument, type S3Client } from '../../blobs/s3/s3-client.ts'
import { defaultS3Limits } from '../../blobs/s3/s3-limits.ts'
import type { S3Settings } from '../../config/s3-values.ts'
import { StartError } from '../../kernel/program/process-lifetime.ts'
import { describeError, ok, problem } from '../check.ts'

/** One attempt each, in the time of a check. */
export const doctorS3Limits = {
  ...defaultS3Limits,
  connectMs: 2_000,
  silenceMs: 2_000,
  retryReadsMs: 0,
  retryWritesMs: 0,
}

/** Lists the bucket, then writes, reads and deletes an object where published files are. */
export async function checkBucketAccess(settings: S3Settings, signal: AbortSignal): Promise<DoctorFinding> {
  const client = createS3Client(settings, doctorS3Limits)
  const where = `the bucket ${settings.bucket}`
  try {
    const trouble = await checkBucket(client, settings)
    if (trouble !== null)
      return problem(
        `S3 is not responding: ${describeError(new Error(trouble))}.`,
        'Check that it runs, and MASTHEAD_S3_ENDPOINT. Until then only cached files are served.',
      )
    await tryObject(client, signal)
    return ok(`Files can be written to ${where}, read and deleted.`)
  } catch (error) {
    // Its text says what to correct.
    if (error instanceof StartError) return problem(`Files in ${where} cannot be used.`, error.message)
    return problem(
      `Files in ${where} cannot be used: ${describeError(error)}.`,
      'Allow the key of MASTHEAD_S3_ACCESS_KEY_ID to put, get, delete and list objects there.',
    )
  }
}

async function tryObject(client: S3Client, signal: AbortSignal): Promise<void> {
  const key = `documents/doctor/${randomBytes(12).toString('hex')}`
  const content = randomBytes(24).toString('base64url')
  const bytes = Buffer.from(content)
  const body = { sha256: hash('sha256', bytes), size: bytes.length, open: () => bytes }
  await client.request({ method: 'PUT', key, body, signal, retryMs: 0 }, ignoreBody)
  const read = await client.request({ method: 'GET', key, signal, retryMs: 0 }, readDocument)
  await client.request({ method: 'DELETE', key, signal, retryMs: 0 }, ignoreBody)
  if (read !== content) throw new Error('an object did not come back as it was written')
}
