import { randomBytes } from 'node:crypto'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import type { Config } from '../config/config.ts'
import type { Dns } from '../dns/dns.ts'
import { type CnameChain, followCnames } from '../dns/follow-cnames.ts'
import { formatList } from '../kernel/english.ts'
import { allOk, ok, problem, warning } from './check.ts'

export interface NameAnswers {
  /** As in a zone file, with an asterisk for a wildcard. */
  name: string
  /** Whether it may lead elsewhere, such as to a proxy of the dashboard's own. */
  mayDiffer: boolean
  end: CnameChain['end']
  addresses: string[]
}

type NameConfig = Pick<Config, 'platformDomain' | 'dashboardHost' | 'edgeAddresses'>

/** What visitors' resolvers say about every name that must lead to the edge. */
export async function checkNames(
  config: NameConfig,
  dns: Pick<Dns, 'resolve'>,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const { platformDomain, dashboardHost } = config
  const names = [
    { name: platformDomain, mayDiffer: false },
    { name: `*.${platformDomain}`, mayDiffer: false },
    { name: `*.cname.${platformDomain}`, mayDiffer: false },
    { name: dashboardHost, mayDiffer: true },
  ]
  const answers = await Promise.all(
    names.map(async (one) => ({ ...one, ...(await lookUp(dns, one.name, signal)) })),
  )
  const findings = answers.map((answer) => judgeName(answer, config.edgeAddresses))
  const shown = formatList(names.map(({ name }) => name))
  return allOk(
    findings,
    `${shown} lead to ${answers.some(({ addresses }) => addresses.length > 0) ? 'the edge' : 'this machine'}.`,
  )
}

/** A wildcard is asked for a label that nobody has set, nor any cache has seen. */
async function lookUp(
  dns: Pick<Dns, 'resolve'>,
  name: string,
  signal: AbortSignal,
): Promise<Pick<NameAnswers, 'end' | 'addresses'>> {
  // Browsers and resolvers never ask for these (RFC 6761, section 6.3).
  if (/(^|\.)localhost$/.test(name)) return { end: 'records', addresses: [] }
  const asked = name.replace('*', `check-${randomBytes(8).toString('hex')}`)
  const found = await Promise.all([
    followCnames(dns, asked, 'A', { signal }),
    followCnames(dns, asked, 'AAAA', { signal }),
  ])
  const addresses = found.flatMap(({ records }) => records.map(({ value }) => value))
  const end =
    found.find((one) => one.end === 'records')?.end ?? found.find((one) => one.end === 'failed')?.end
  return { end: end ?? found[0].end, addresses }
}

/** Compares spellings of IPv6 too. */
function isSameAddress(one: string, other: string): boolean {
  return one === other || (one.includes(':') && other.includes(':') && normalized(one) === normalized(other))
}

function normalized(address: string): string {
  return new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname
}

export function judgeName(
  { name, mayDiffer, end, addresses }: NameAnswers,
  edgeAddresses: readonly string[],
): DoctorFinding {
  const records = edgeAddresses.map((address) => `${name} ${address.includes(':') ? 'AAAA' : 'A'} ${address}`)
  const add = `Add to DNS: ${formatList(records)}.`
  if (end === 'failed') {
    return problem(
      `${name} could not be looked up: no resolver answered.`,
      'Check the resolvers of this machine, or set MASTHEAD_DNS_SERVERS to ones that work.',
    )
  }
  if (end === 'loop' || end === 'too_long') return problem(`The CNAME records of ${name} lead nowhere.`, add)
  if (end !== 'records') return problem(`${name} does not resolve.`, add)
  if (addresses.length === 0) return ok(`${name} leads to this machine.`)
  const wrong = addresses.filter((address) => !edgeAddresses.some((edge) => isSameAddress(edge, address)))
  const missing = edgeAddresses.filter((edge) => !addresses.some((address) => isSameAddress(edge, address)))
  if (wrong.length > 0) {
    const message = `${name} points to ${formatList(wrong)}, not to an edge address (${formatList(edgeAddresses)}).`
    if (mayDiffer)
      return warning(
        message,
        'Nothing to do if your API nodes or a proxy answer there. Otherwise change the record.',
      )
    return problem(
      message,
      'Change the record, or add the address to MASTHEAD_EDGE_ADDRESSES if it is an edge.',
    )
  }
  if (missing.length > 0 && !mayDiffer)
    return warning(`${name} does not point to ${formatList(missing)}, so visitors do not use it.`, add)
  return ok(`${name} points to ${formatList(addresses)}.`)
}
