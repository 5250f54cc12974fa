import type { S3Settings } from '../../config/s3-values.ts'

/** The address of an object below the prefix, or of the bucket if the key is null. */
export function objectUrl(
  { endpoint, bucket, prefix, pathStyle }: Pick<S3Settings, 'endpoint' | 'bucket' | 'prefix' | 'pathStyle'>,
  key: string | null,
  query: Record<string, string> = {},
): URL {
  const url = new URL(endpoint)
  const base = url.pathname.replace(/\/$/, '')
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`
  const place = key === null ? '' : `/${prefix}${key}`
  url.pathname = `${base}${pathStyle ? `/${bucket}` : ''}${place}` || '/'
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}
