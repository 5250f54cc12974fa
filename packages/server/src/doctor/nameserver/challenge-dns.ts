import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { challengeZoneName, zoneDelegation } from '../../certificates/challenge-dns/challenge-zone.ts'
import type { Config } from '../../config/config.ts'
import { ask } from '../../dns/ask.ts'
import type { Dns, DnsServer } from '../../dns/dns.ts'
import type { DnsAnswer } from '../../dns/dns-answer.ts'
import { nullOnDnsError } from '../../dns/dns-error.ts'
import { isWithin, normalizeName } from '../../dns/domain-name.ts'
import { formatList } from '../../kernel/english.ts'
import { allOk, ok, problem, skipped, warning } from '../check.ts'

type ChallengeConfig = Pick<Config, 'dnsListen' | 'dnsPort' | 'platformDomain' | 'edgeAddresses'>

const usualPort = 53
const patience = 2_000
/** Every one of them says the same, or one of them is wrong and is asked sooner or later. */
const mostServers = 6

/** Whether certificate authorities find our nameserver: delegation, glue, UDP and TCP. */
export async function checkChallengeDns(
  config: ChallengeConfig,
  dns: Pick<Dns, 'resolve' | 'findZone'>,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const { dnsListen, dnsPort, platformDomain } = config
  if (dnsListen === null) {
    return [skipped('Off. Set MASTHEAD_DNS_LISTEN to prepare moves and to get certificates for wildcards.')]
  }
  const zone = challengeZoneName(platformDomain)
  const above = await delegationAbove(dns, config, signal)
  if (above === null) {
    return [
      warning(
        `The nameservers of ${platformDomain} could not be asked whether ${zone} is delegated.`,
        'Check that they answer, and that this machine may ask them (port 53, UDP and TCP).',
      ),
    ]
  }
  if (above.nameservers.length === 0)
    return [problem(`${zone} is not delegated to this server.`, recordsToAdd(config))]
  // With other ports in tests, nameservers and this one cannot share one.
  const port = dnsPort === null ? usualPort : dnsListen.port
  const [found, reached] = await Promise.all([
    nullOnDnsError(dns.resolve(zone, 'SOA', { deadlineMs: patience, signal })),
    Promise.all(
      above.addresses.slice(0, mostServers).flatMap((address) =>
        (['UDP', 'TCP'] as const).map(async (transport) => {
          const options = { overTcp: transport === 'TCP', deadlineMs: patience, signal }
          const server = { address, port }
          const answer = await nullOnDnsError(ask(server, { name: zone, type: 'SOA' }, options))
          return { address, transport, answer }
        }),
      ),
    ),
  ])
  const isFound = found !== null && isOurs(found, zone)
  const findings = [
    ...judgeNames(config, above),
    ...reached.map((one) => judgeServer({ ...one, zone, port, isFound })),
    ...(isFound ? [] : [judgeResolvers(zone)]),
  ]
  return allOk(findings, `${zone} is delegated to this server, which answers over UDP and TCP.`)
}

interface Above {
  nameservers: string[]
  /** Of the nameservers, as the zone above has them. */
  addresses: string[]
}

/** What the zone above says. Null if none of its nameservers answers. */
async function delegationAbove(
  dns: Pick<Dns, 'resolve' | 'findZone'>,
  { platformDomain, dnsPort }: ChallengeConfig,
  signal: AbortSignal,
): Promise<Above | null> {
  const zone = challengeZoneName(platformDomain)
  const parent = await nullOnDnsError(dns.findZone(platformDomain, { signal }))
  const servers: DnsServer[] = (parent?.servers ?? [])
    .flatMap(({ addresses }) => addresses)
    .slice(0, mostServers)
    .map((address) => ({ address, port: dnsPort ?? usualPort }))
  const question = { name: zone, type: 'NS' } as const
  const asked = await Promise.all(
    servers.map((server) => nullOnDnsError(ask(server, question, { deadlineMs: patience, signal }))),
  )
  const answers = asked.filter((answer) => answer !== null)
  if (answers.length === 0) return null
  const records = answers.flatMap(({ answers: own, authority }) => [...own, ...authority])
  const named = records.filter(({ type, name }) => type === 'NS' && normalizeName(name) === zone)
  const nameservers = [...new Set(named.map(({ value }) => normalizeName(value)))]
  const glue = answers.flatMap((answer) => answer.glue.map(({ value }) => value))
  const outside = nameservers.filter((name) => !isWithin(name, zone))
  const resolved = await Promise.all(
    outside.flatMap((name) =>
      (['A', 'AAAA'] as const).map((type) => nullOnDnsError(dns.resolve(name, type, { signal }))),
    ),
  )
  const addresses = resolved.flatMap((answer) => answer?.answers.map(({ value }) => value) ?? [])
  return { nameservers, addresses: [...new Set([...glue, ...addresses])] }
}

function recordsToAdd(config: ChallengeConfig): string {
  const records = zoneDelegation(config).map(({ fqdn, type, value }) => `${fqdn} ${type} ${value}`)
  return `Add to the zone of ${config.platformDomain}: ${formatList(records)}.`
}

function judgeNames(config: ChallengeConfig, { nameservers, addresses }: Above): DoctorFinding[] {
  const zone = challengeZoneName(config.platformDomain)
  const others = nameservers.filter((name) => name !== `ns.${zone}`)
  if (addresses.length === 0) {
    const message = `The zone of ${config.platformDomain} has no addresses for ${formatList(nameservers)}.`
    return [problem(message, recordsToAdd(config))]
  }
  if (others.length === 0) return [ok(`${zone} is delegated to ns.${zone}.`)]
  return [
    warning(
      `${zone} is delegated to ${formatList(others)}, but this server calls itself ns.${zone}.`,
      `Delegate it to ns.${zone} alone. ${recordsToAdd(config)}`,
    ),
  ]
}

function judgeServer({
  address,
  transport,
  answer,
  zone,
  port,
  isFound,
}: {
  address: string
  transport: 'UDP' | 'TCP'
  answer: DnsAnswer | null
  zone: string
  port: number
  /** Resolvers do reach it, so it may be only this machine that cannot. */
  isFound: boolean
}): DoctorFinding {
  const judge = isFound ? warning : problem
  if (answer === null) {
    return judge(
      `${address}, where ${zone} is delegated to, does not answer over ${transport}.`,
      `Open port ${port} for ${transport} in the firewall, and check that MASTHEAD_DNS_LISTEN is what is reached there.`,
    )
  }
  if (isOurs(answer, zone)) return ok(`${address} answers over ${transport}.`)
  return problem(
    `At ${address}, where ${zone} is delegated to, another nameserver answers over ${transport}.`,
    'Change the address to one of this installation, or free the port for MASTHEAD_DNS_LISTEN.',
  )
}

function judgeResolvers(zone: string): DoctorFinding {
  return warning(
    `The resolvers of this machine do not find ${zone}.`,
    'If you have just delegated it, wait until the old answer has left their caches. Otherwise fix the findings above.',
  )
}

function isOurs({ rcode, answers }: DnsAnswer, zone: string): boolean {
  return (
    rcode === 'NOERROR' &&
    answers.some(({ type, value }) => type === 'SOA' && normalizeName(value).startsWith(`ns.${zone} `))
  )
}
