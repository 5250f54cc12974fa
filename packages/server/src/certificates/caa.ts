import { printableText } from '../printable-text.ts'
import { type IssueValue, readIssueValue } from './caa-value.ts'

export interface CaaRecord {
  critical: boolean
  tag: string
  value: string
}

/** Whether the certificate authority may issue for a name. */
export type CaaVerdict =
  | { kind: 'allowed' }
  /** `at`: where the records stand that decide. `add`: the record that would allow it. */
  | { kind: 'forbidden'; at: string; records: CaaRecord[]; why: string; add: { fqdn: string; value: string } }
  | { kind: 'unclear'; why: string }

/** The CAA records of exactly this name, with its CNAMEs followed as any look-up does. */
export type CaaLookUp = (name: string) => Promise<{ records: CaaRecord[] } | 'failed'>

export interface CaaBinding {
  /** Our account at the certificate authority; without one no record that names an account can mean us. */
  accountUri?: string
  /** How we prove control of a name. */
  methods?: readonly string[]
}

/**
 * RFC 8659, section 3: the first name with CAA records decides, from the name itself up to its top-level domain.
 * The climb goes by the labels of the name, never by those of what it points to.
 */
export async function checkCaa(
  hostname: string,
  identities: readonly string[],
  lookUp: CaaLookUp,
  binding: CaaBinding = {},
): Promise<CaaVerdict> {
  if (identities.length === 0) return { kind: 'allowed' }
  const labels = hostname.split('.')
  for (let above = 0; above < labels.length; above++) {
    const name = labels.slice(above).join('.')
    const answer = await lookUp(name).catch(() => 'failed' as const)
    if (answer === 'failed') return { kind: 'unclear', why: `the CAA records of ${name} could not be read` }
    if (answer.records.length === 0) continue
    const why = objection(answer.records, identities, binding)
    if (why === null) return { kind: 'allowed' }
    const add = { fqdn: name, value: `0 issue "${identities[0]}"` }
    return { kind: 'forbidden', at: name, records: answer.records, why, add }
  }
  return { kind: 'allowed' }
}

/** A record that stops every authority that does not understand it, whatever the others say. */
export function isUnknownCritical(record: CaaRecord): boolean {
  return record.critical && !understood.has(record.tag.toLowerCase())
}

const understood: ReadonlySet<string> = new Set(['issue', 'issuewild', 'iodef', 'issuemail'])
const defaultMethods = ['http-01', 'tls-alpn-01']

/** Why these records forbid it, to be read after "the CAA records say that …"; null where they do not. */
function objection(
  records: readonly CaaRecord[],
  identities: readonly string[],
  binding: CaaBinding,
): string | null {
  const unknown = records.find(isUnknownCritical)
  if (unknown !== undefined) {
    return `an authority must understand the property "${printableText(unknown.tag, 30)}", which is not known here`
  }
  const issue = records.filter(({ tag }) => tag.toLowerCase() === 'issue')
  if (issue.length === 0) return null
  const ours = new Set(identities.map((identity) => identity.toLowerCase()))
  const values = issue.map(({ value }) => readIssueValue(value))
  const named = values.filter((value) => value !== null && value.issuer !== null && ours.has(value.issuer))
  if (named.length === 0) return `only ${othersOf(values)} may issue certificates`
  const objections = named.map((value) => bindingObjection(value?.parameters ?? [], binding))
  return objections.includes(null) ? null : (objections[0] ?? null)
}

function othersOf(values: readonly (IssueValue | null)[]): string {
  const issuers = values.flatMap((value) => value?.issuer ?? [])
  const shown = [...new Set(issuers)].slice(0, 4).map((issuer) => printableText(issuer, 60))
  return shown.length === 0 ? 'nobody' : shown.join(', ')
}

/** RFC 8657: a parameter given twice, or in a form that cannot be read, is met by nobody. */
function bindingObjection(
  parameters: IssueValue['parameters'],
  { accountUri, methods = defaultMethods }: CaaBinding,
): string | null {
  const valuesOf = (tag: string) => parameters.filter((one) => one.tag === tag).map(({ value }) => value)
  const accounts = valuesOf('accounturi')
  if (accounts.length > 1 || accounts.some((account) => account !== accountUri)) {
    return 'the authority may issue to another account only ("accounturi")'
  }
  const allowed = valuesOf('validationmethods')
  const list = allowed[0]?.split(',') ?? methods
  const isReadable = allowed.length < 2 && list.every((method) => /^[a-z0-9-]+$/i.test(method))
  return isReadable && list.some((method) => methods.includes(method))
    ? null
    : `control must be proved in another way than by ${methods.join(' or ')} ("validationmethods")`
}
