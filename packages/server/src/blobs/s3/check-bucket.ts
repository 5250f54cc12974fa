import type { S3Settings } from '../../config/s3-values.ts'
import { StartError } from '../../kernel/program/process-lifetime.ts'
import { readDocument, type S3Client } from './s3-client.ts'
import { S3ConnectionError, S3ContentError, S3Error } from './s3-error.ts'

/**
 * Throws a StartError if the settings must be wrong. Returns why S3 could not be asked, if it seems to be down: sites
 * can be served from the cache until it is back.
 */
export async function checkBucket(client: S3Client, settings: S3Settings): Promise<string | null> {
  const query = { 'list-type': '2', 'max-keys': '1', prefix: settings.prefix }
  try {
    await client.request({ method: 'GET', key: null, query }, async (response) => {
      const document = await readDocument(response)
      if (!document.includes('<ListBucketResult')) throw new S3ContentError('The answer is not from S3')
    })
    return null
  } catch (error) {
    const fault = faultOf(error, settings)
    if (fault !== null) throw new StartError(fault)
    if (error instanceof S3ConnectionError || error instanceof S3Error) return error.message
    throw error
  }
}

const byCode: Record<string, (settings: S3Settings) => string> = {
  NoSuchBucket: ({ bucket, endpoint }) =>
    `MASTHEAD_BLOBS: there is no bucket ${bucket} at ${endpoint}. Create it, or correct its name or MASTHEAD_S3_ENDPOINT.`,
  SignatureDoesNotMatch: () =>
    'MASTHEAD_S3_SECRET_ACCESS_KEY does not belong to MASTHEAD_S3_ACCESS_KEY_ID, so S3 refused our signature.',
  InvalidAccessKeyId: () => 'MASTHEAD_S3_ACCESS_KEY_ID: S3 does not know this key.',
  AuthorizationHeaderMalformed: ({ region }) =>
    `MASTHEAD_S3_REGION: S3 does not accept the region ${region}. Use the region of the bucket.`,
  PermanentRedirect: ({ bucket, endpoint }) =>
    `MASTHEAD_S3_ENDPOINT: the bucket ${bucket} is not at ${endpoint}. Use the endpoint and MASTHEAD_S3_REGION of the bucket.`,
  RequestTimeTooSkewed: () => "This machine's clock differs too much from the clock of S3. Correct it.",
}

function faultOf(error: unknown, settings: S3Settings): string | null {
  const { endpoint, bucket } = settings
  if (error instanceof S3ConnectionError) {
    const code = error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : ''
    if (code === 'ENOTFOUND') return `MASTHEAD_S3_ENDPOINT: the host of ${endpoint} does not exist.`
    if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|EPROTO/.test(code)) {
      return `MASTHEAD_S3_ENDPOINT: no trusted TLS connection to ${endpoint} (${code}). For a CA of your own, set NODE_EXTRA_CA_CERTS.`
    }
    return null
  }
  const notS3 = `MASTHEAD_S3_ENDPOINT: ${endpoint} does not answer like S3. Check the address, the port and MASTHEAD_S3_PATH_STYLE.`
  if (error instanceof S3ContentError) return notS3
  if (!(error instanceof S3Error)) return null
  const known = byCode[error.code]
  if (known !== undefined) return known(settings)
  const { status, code } = error
  if (status === 403 && code !== '') {
    return `MASTHEAD_S3_ACCESS_KEY_ID: this key may not list the bucket ${bucket} (${code}). Grant it the privileges in docs/operations.md.`
  }
  if (status >= 300 && status < 500 && status !== 429 && status !== 408) return `${notS3} (${error.message})`
  return null
}
