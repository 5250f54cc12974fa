import { type ReadRules, readSiteRules, unreadFiles } from '@masthead/contract/site-rules/read-site-rules.ts'
import { headersFile, redirectsFile, sizeExcess } from '@masthead/contract/site-rules/rules.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { Problem } from '../../kernel/problem.ts'
import { hasRules, type Manifest } from '../manifest.ts'

/**
 * Reads the rules among the files of a deployment, and what is wrong with them. Null if it has nothing of the kind. Throws the Problem `site_rules_too_large`
 * rather than serve a site with half of its rules.
 */
export async function readRulesOf(
  blobs: Pick<BlobStore, 'read'>,
  accountId: string,
  manifest: Manifest,
): Promise<ReadRules | null> {
  if (!hasRules(manifest) && ![...unreadFiles.keys()].some((path) => manifest.has(path))) return null
  const content = async (path: typeof redirectsFile | typeof headersFile) => {
    const file = manifest.get(path)
    if (file === undefined) return undefined
    // Decided by the listed size, before anything is read.
    const excess = sizeExcess(path, file.size)
    if (excess !== null) throw tooLarge(excess)
    return blobs.read({ accountId, sha256: file.sha256 })
  }
  const files = { redirects: await content(redirectsFile), headers: await content(headersFile) }
  const read = readSiteRules(files, (path) => manifest.has(path))
  if (read.excess !== null) throw tooLarge(read.excess)
  return read
}

function tooLarge(detail: string): Problem {
  return new Problem('site_rules_too_large', detail)
}
