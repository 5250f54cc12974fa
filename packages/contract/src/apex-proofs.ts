/**
 * What proves that an apex belongs to an account. Its addresses do not: they are the same for everyone. Whatever is
 * to count as a proof is a row here.
 */
export interface ApexProofFacts {
  title: string
  /** Whether it also takes an apex from an account that is served there and has proved it. */
  takesProved: boolean
}

export const apexProofs = {
  challenge: { title: 'A TXT record with the token of this claim', takesProved: true },
  /** Whoever runs the zone may have let somebody have one name in it without meaning the whole domain. */
  sibling: { title: 'The CNAME record of another name in the same zone', takesProved: false },
} as const satisfies Record<string, ApexProofFacts>

export type ApexProof = keyof typeof apexProofs
export const apexProofNames = Object.keys(apexProofs) as [ApexProof, ...ApexProof[]]
