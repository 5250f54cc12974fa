/**
 * Everything a check of DNS can find. `stops` findings keep a domain from being verified; `unclear` ones mean that
 * it could not be judged, which never takes anything away; `tells` ones are good to know. The sentence about this
 * very occurrence and its fix are written by the server beside the observation.
 */
export interface FindingKind {
  effect: 'stops' | 'unclear' | 'tells'
  title: string
}

export const findings = {
  // A subdomain
  cname_missing: { effect: 'stops', title: 'The CNAME record is missing' },
  cname_other: { effect: 'stops', title: 'The CNAME record points elsewhere' },
  address_conflict: { effect: 'stops', title: 'An A or AAAA record is in the way' },
  // An apex
  apex_missing: { effect: 'stops', title: 'The domain points nowhere' },
  apex_elsewhere: { effect: 'stops', title: 'The domain points elsewhere' },
  apex_cname: { effect: 'stops', title: 'A CNAME record stands at the domain itself' },
  // Ownership
  challenge_missing: { effect: 'stops', title: 'Nothing in DNS proves yet that the domain is yours' },
  challenge_unclear: { effect: 'unclear', title: 'The proof of ownership could not be asked for' },
  challenge_ahead: { effect: 'tells', title: 'A record in DNS will have to prove ownership' },
  challenge_other: { effect: 'tells', title: 'A TXT record of another claim is still there' },
  proof_due: { effect: 'tells', title: 'Prove that this domain is yours' },
  held_elsewhere: { effect: 'stops', title: 'Another account proved this name' },
  // The zone and its servers
  name_not_found: { effect: 'stops', title: 'The name does not exist in DNS' },
  domain_not_registered: { effect: 'stops', title: 'The domain has no nameservers' },
  servers_disagree: { effect: 'stops', title: 'The nameservers give different answers' },
  resolvers_disagree: { effect: 'unclear', title: 'Resolvers give different answers' },
  cloudflare_proxy: { effect: 'stops', title: "Cloudflare's proxy is in front" },
  nameserver_unreachable: { effect: 'tells', title: 'A nameserver does not answer' },
  nameserver_lame: { effect: 'tells', title: 'A nameserver does not know the zone' },
  servers_unreachable: { effect: 'unclear', title: 'No nameserver could be asked' },
  dnssec_failure: { effect: 'unclear', title: 'DNSSEC validation most likely fails' },
  servfail: { effect: 'unclear', title: 'The nameservers cannot answer' },
  wildcard_answer: { effect: 'tells', title: 'The answer comes from a wildcard record' },
  cached_not_found: { effect: 'tells', title: 'Some resolvers may still say "not found"' },
  cached_old_answer: { effect: 'tells', title: 'Some resolvers may still have the old record' },
  // Certificates
  caa_blocks: { effect: 'tells', title: 'A CAA record forbids our certificate authority' },
  caa_unclear: { effect: 'tells', title: 'CAA could not be checked' },
} as const satisfies Record<string, FindingKind>

export type FindingCode = keyof typeof findings
export const findingCodes = Object.keys(findings) as [FindingCode, ...FindingCode[]]
