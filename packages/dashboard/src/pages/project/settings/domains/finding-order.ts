import type { Finding } from '@masthead/contract/schemas/domain.ts'

const order: readonly Finding['effect'][] = ['stops', 'unclear', 'tells']

/** What keeps the domain from being verified goes first; what is only good to know, last. */
export function byWeight(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((one, other) => order.indexOf(one.effect) - order.indexOf(other.effect))
}
