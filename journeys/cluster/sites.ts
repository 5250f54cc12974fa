import { createHash } from 'node:crypto'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'

/** More than is kept in memory, so that it is served from the disk. */
const largeBytes = 1_100_000

export const host = (slug: string) => `${slug}.masthead.localhost`

/** A site that tells on each of its pages which version it is. */
export interface SiteVersion {
  slug: string
  version: number
}

export function archiveOf(site: SiteVersion): Uint8Array<ArrayBuffer> {
  return tarGz({ 'index.html': pageOf(site, '/'), 'large.txt': pageOf(site, '/large.txt') })
}

export function pageOf({ slug, version }: SiteVersion, path: '/' | '/large.txt'): string {
  const words = `${slug} ${version} `
  if (path === '/') return words
  // Noise that nothing can compress, and that differs from version to version.
  const noise = createHash('sha512').update(words).digest('hex')
  return words + noise.repeat(Math.ceil(largeBytes / noise.length))
}

/** What a page says that it is. */
export function versionOf(body: string): SiteVersion {
  const [slug = '', version] = body.split(' ', 2)
  return { slug, version: Number(version) }
}
