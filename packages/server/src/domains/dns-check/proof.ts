import type { FoundProof } from '../records.ts'
import type { Evidence } from './evidence.ts'

/** What in DNS proves that the apex belongs to the account: the stronger proof where there are both. */
export function foundProof({
  wanted: { proof },
  observation,
}: Pick<Evidence, 'wanted' | 'observation'>): FoundProof | null {
  if (proof === null) return null
  const { challenge } = proof
  if (challenge !== null && isAmong(observation.challenge ?? [], challenge)) {
    return { by: 'challenge', what: challenge }
  }
  const sibling = observation.siblings.find(({ outcome }) => outcome === 'proves')
  return sibling === undefined ? null : { by: 'sibling', what: sibling.hostname }
}

export function isAmong(seen: readonly string[], challenge: string): boolean {
  return seen.some((value) => unquoted(value) === challenge)
}

/** Some providers keep the quotes that were pasted around a value. */
export function unquoted(value: string): string {
  return value.replace(/^[\s"]+|[\s"]+$/g, '')
}
