import type { RuleFinding } from '@masthead/contract/site-rules/findings.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DeploymentContext } from '../deployment.ts'
import { hasRules, isWithheld, type Manifest } from '../manifest.ts'
import { readRulesAndFindings, writeRules } from '../manifest-document.ts'
import type { DeploymentRow } from '../store.ts'
import { hashProtections } from './hash-protections.ts'
import { readRulesOf } from './read-rules.ts'
import { withholdFiles } from './withhold-passwords.ts'

/**
 * Stores the rules among the files of a deployment, with passwords as hashes. Returns what is wrong with them, and the
 * manifest without files that have passwords. Can be interrupted anywhere and run again with that manifest.
 */
export async function storeRules(
  context: DeploymentContext,
  project: ProjectRow,
  deployment: DeploymentRow,
  manifest: Manifest,
): Promise<{ findings: RuleFinding[]; manifest: Manifest }> {
  const { blobs } = context
  const stored = isWithheld(manifest) ? await readRulesAndFindings(blobs, deployment.id) : null
  if (stored !== null) return { findings: stored.findings, manifest }
  const read = await readRulesOf(context, project, manifest)
  if (read === null) return { findings: [], manifest }
  const { rules, protections, findings, filesWithPasswords } = read
  if (hasRules(manifest)) {
    const protect = await hashProtections(context, project, protections)
    await writeRules(blobs, deployment.id, { ...rules, ...(protect.length > 0 && { protect }) }, findings)
  }
  if (filesWithPasswords.length === 0) return { findings, manifest }
  return { findings, manifest: await withholdFiles(context, deployment, manifest, filesWithPasswords) }
}
