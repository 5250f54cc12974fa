import { decodeSitePath } from './site-path.ts'

/**
 * Where certificate authorities look for proof of control over a host: RFC 8555, 8.3, and the Baseline Requirements
 * of the CA/Browser Forum, 3.2.2.4.18.
 */
const folders = ['/.well-known/acme-challenge/', '/.well-known/pki-validation/']

/**
 * Whether a file here could get somebody a certificate for the host. Under names of the platform nothing that was
 * published answers there: the name is ours, whoever has the site.
 */
export function isValidationPath(rawPath: string): boolean {
  if (!/^\/+(?:\.|%2e)/i.test(rawPath)) return false
  const path = decodeSitePath(rawPath)
  return path !== null && folders.some((folder) => path.startsWith(folder))
}
