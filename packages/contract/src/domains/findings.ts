/**
 * Everything a DNS check can find. `stops` findings keep a domain from being verified. `unclear` ones mean that we
 * could not tell, which never takes a domain down. `tells` ones are informational. The server writes the message and
 * the fix for each occurrence.
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
  apex_cname: { effect: 'stops', title: 'There is a CNAME record at the domain itself' },
  // Ownership
  challenge_missing: { effect: 'stops', title: 'DNS does not prove yet that you own the domain' },
  challenge_unclear: { effect: 'unclear', title: 'Proof of ownership could not be checked' },
  challenge_ahead: { effect: 'tells', title: 'You will need a DNS record to prove ownership' },
  challenge_other: { effect: 'tells', title: 'A TXT record from another claim is still there' },
  proof_due: { effect: 'tells', title: 'Prove that you own this domain' },
  held_elsewhere: { effect: 'stops', title: 'Another account proved that it owns this name' },
  domain_proved_elsewhere: { effect: 'stops', title: 'Another account has proved this domain' },
  kept_under_proof: { effect: 'tells', title: 'Another account has proved the domain above' },
  wildcard_unproved: { effect: 'stops', title: 'A wildcard needs proof of the whole domain' },
  zone_not_delegated: { effect: 'stops', title: 'The name has no nameservers of its own' },
  // The zone and its servers
  name_not_found: { effect: 'stops', title: 'The name does not exist in DNS' },
  domain_not_registered: { effect: 'stops', title: 'The domain has no nameservers' },
  nameservers_parked: { effect: 'stops', title: 'The domain is parked' },
  servers_disagree: { effect: 'stops', title: 'The nameservers give different answers' },
  resolvers_disagree: { effect: 'unclear', title: 'Resolvers give different answers' },
  cloudflare_proxy: { effect: 'stops', title: "Cloudflare's proxy is in front" },
  proxy_detected: { effect: 'stops', title: 'A CDN is in front' },
  // A domain that is marked as behind a proxy
  proxy_elsewhere: { effect: 'stops', title: 'The proxy does not lead here' },
  proxy_host: { effect: 'stops', title: 'The proxy changes the host name' },
  proxy_challenge: { effect: 'stops', title: 'The proxy stops certificate authorities' },
  proxy_loop: { effect: 'stops', title: 'The proxy causes endless redirects' },
  proxy_private: { effect: 'stops', title: 'The domain points to a private address' },
  proxy_error: { effect: 'unclear', title: 'The proxy cannot reach us' },
  proxy_unreachable: { effect: 'unclear', title: 'The proxy does not answer' },
  proxy_plain: { effect: 'tells', title: 'The proxy connects to us without encryption' },
  proxy_https: { effect: 'tells', title: 'HTTPS through the proxy does not work' },
  proxy_cached: { effect: 'tells', title: 'The proxy caches what must not be cached' },
  proxy_addresses: { effect: 'tells', title: 'We do not see the addresses of visitors' },
  nameserver_unreachable: { effect: 'tells', title: 'A nameserver does not answer' },
  nameserver_lame: { effect: 'tells', title: 'A nameserver does not know the zone' },
  servers_unreachable: { effect: 'unclear', title: 'We could not reach any nameserver' },
  resolver_down: { effect: 'unclear', title: 'Our own DNS resolver does not answer' },
  dnssec_failure: { effect: 'unclear', title: 'DNSSEC validation probably fails' },
  servfail: { effect: 'unclear', title: 'The nameservers return errors' },
  wildcard_answer: { effect: 'tells', title: 'The answer comes from a wildcard record' },
  cached_not_found: { effect: 'tells', title: 'Some resolvers may still say "not found"' },
  cached_old_answer: { effect: 'tells', title: 'Some resolvers may still have the old record' },
  // Certificates
  caa_blocks: { effect: 'tells', title: 'A CAA record blocks our certificate authority' },
  delegation_missing: { effect: 'tells', title: 'The record for the certificate is missing' },
  caa_unclear: { effect: 'tells', title: 'CAA records could not be checked' },
} as const satisfies Record<string, FindingKind>

export type FindingCode = keyof typeof findings
export const findingCodes = Object.keys(findings) as [FindingCode, ...FindingCode[]]
