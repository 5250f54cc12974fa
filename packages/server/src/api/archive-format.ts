import { Problem } from '../problem.ts'

/** Archives by the names that clients give them. */
export const archiveTypes = {
  'application/gzip': 'tar.gz',
  'application/x-gzip': 'tar.gz',
  'application/x-tar+gzip': 'tar.gz',
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
} as const

export function archiveFormat(contentType: string | undefined): 'tar.gz' | 'zip' {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const format = archiveTypes[type as keyof typeof archiveTypes]
  if (format !== undefined) return format
  throw new Problem(
    'unsupported_media_type',
    'Send a tar.gz as application/gzip, a zip as application/zip, or a list of files as application/json.',
  )
}
