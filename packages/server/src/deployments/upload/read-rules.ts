import { runInSlices } from '@masthead/contract/site-rules/checks/in-steps.ts'
import {
  type ReadRules,
  readSiteRulesInSteps,
  unreadFiles,
} from '@masthead/contract/site-rules/read-site-rules.ts'
import {
  headersFile,
  type RuleFile,
  ruleFiles,
  type SiteSettings,
  sizeExcess,
} from '@masthead/contract/site-rules/rules.ts'
import { decodeText } from '@masthead/contract/text/decode-text.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { TimeSlice } from '../../kernel/concurrency.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DeploymentContext } from '../deployment.ts'
import { hasRules, type Manifest } from '../manifest.ts'

export interface RulesOfFiles extends ReadRules {
  /** They must not be stored as they were sent. */
  filesWithPasswords: RuleFile[]
}

/**
 * Reads the rules among the files of a deployment, and what is wrong with them. Null if it has nothing of the kind.
 * Throws the Problem `site_rules_too_large` rather than serve a site with half of its rules.
 */
export async function readRulesOf(
  {
    blobs,
    knowsCountries = false,
    platformDomain,
  }: Pick<DeploymentContext, 'knowsCountries' | 'platformDomain'> & { blobs: Pick<BlobStore, 'read'> },
  project: ProjectRow,
  manifest: Manifest,
): Promise<RulesOfFiles | null> {
  if (!hasRules(manifest) && ![...unreadFiles.keys()].some((path) => manifest.has(path))) return null
  const contents = new Map<RuleFile, Uint8Array>()
  for (const path of ruleFiles) {
    const file = manifest.get(path)
    if (file === undefined) continue
    // Decided by the listed size, before anything is read.
    const excess = sizeExcess(path, file.size)
    if (excess !== null) throw tooLarge(excess)
    contents.set(path, await blobs.read({ accountId: project.account_id, sha256: file.sha256 }))
  }
  const slice = new TimeSlice()
  const steps = readSiteRulesInSteps(contents, (path) => manifest.has(path), {
    project: chosenSettings(project),
    files: manifest.keys(),
    countries: knowsCountries ? 'known' : 'none',
    ...(platformDomain !== undefined && { platformDomain }),
  })
  const read = await runInSlices(steps, () => slice.pause())
  if (read.excess !== null) throw tooLarge(read.excess)
  const filesWithPasswords = [...contents.keys()].filter(
    (path) =>
      read.protections.some(({ file = headersFile }) => file === path) ||
      speaksOfPasswords(contents.get(path)),
  )
  return { ...read, filesWithPasswords }
}

/** A file that cannot be read, or a misspelt line of it, has a password too. */
function speaksOfPasswords(content: Uint8Array = new Uint8Array()): boolean {
  return /basic.?auth|password|protect/i.test(decodeText(content))
}

/** What somebody chose for the project. A default is nobody's choice, so a file that differs is no clash. */
function chosenSettings({ html_handling, single_page }: ProjectRow): Partial<SiteSettings> {
  return {
    ...(html_handling !== 'auto' && { htmlHandling: html_handling }),
    ...(single_page === 1 && { singlePage: true }),
  }
}

function tooLarge(detail: string): Problem {
  return new Problem('site_rules_too_large', detail)
}
