import type { Finding } from '@masthead/contract/schemas/domain.ts'
import { recordName } from '../../records.ts'
import type { Evidence } from '../evidence.ts'
import { place } from '../instructions.ts'
import { finding } from './finding.ts'

/** Only told where there is an answer that could be one. */
export function wildcardFindings(evidence: Evidence): Finding[] {
  const { wanted, seen, allRight, zone } = evidence
  const { wildcard } = evidence.observation
  if (wildcard === null || seen.length === 0) return []
  const { hostname } = wanted
  const name = recordName(hostname, wanted, zone)
  return [
    finding('wildcard_answer', {
      message: `The answer for ${hostname} comes from a wildcard (${wildcard}), which any name there gets.`,
      fix: allRight
        ? `It works. ${place(evidence)}, a record of its own for ${name} would keep it apart from the others.`
        : `The wildcard can stay: a record of its own for ${name} takes its place.`,
    }),
  ]
}
