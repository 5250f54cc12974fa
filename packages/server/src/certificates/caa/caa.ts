import { second } from '../../kernel/clock.ts'
import { printableText } from '../../kernel/escape-text.ts'

export interface CaaRecord {
  critical: boolean
  tag: string
  value: string
}

/** Whether the certificate authority may issue for a name. */
export type CaaVerdict =
  /** `methods`: the ways of proving control that the records leave, as ACME calls them; null: any. */
  | { kind: 'allowed'; methods: readonly string[] | null }
  | CaaForbidden
  /** `unknown_account`: the records name an account, and which one is ours is not known before its first order. */
  | { kind: 'unclear'; cause: 'unread' | 'unknown_account'; why: string }

export interface CaaForbidden {
  kind: 'forbidden'
  /** Where the records stand that decide. */
  at: string
  /** The name whose CNAME leads there; null where the records are of the climbed name itself. */
  behind: string | null
  records: CaaRecord[]
  why: string
  /** The record that would allow it; null where none would. */
  add: { fqdn: string; value: string } | null
}

/** The CAA records of this name. `at`: where they stand, if CNAMEs led to another name, as in any look-up. */
export type CaaLookUp = (
  name: string,
  signal?: AbortSignal,
) => Promise<{ records: CaaRecord[]; at?: string } | 'failed'>

export interface CaaBinding {
  /** Our account at the certificate authority; without it a record that names an account leaves it unclear. */
  accountUri?: string | undefined
  /** How we prove control of a name. */
  methods?: readonly string[]
  /** Ends the climb where it is; without one it ends after a minute. */
  signal?: AbortSignal | undefined
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
  if (identities.length === 0) return { kind: 'allowed', methods: null }
  const { signal = AbortSignal.timeout(longestClimb) } = binding
  const labels = hostname.split('.')
  for (let above = 0; above < labels.length; above++) {
    const name = labels.slice(above).join('.')
    const answer = signal.aborted ? 'failed' : await lookUp(name, signal).catch(() => 'failed' as const)
    if (answer === 'failed') return unreadableCaa(`the CAA records of ${name} could not be read`)
    if (answer.records.length > 0) return verdictAt(name, answer, identities, binding)
  }
  return { kind: 'allowed', methods: null }
}

export function unreadableCaa(why: string): CaaVerdict {
  return { kind: 'unclear', cause: 'unread', why }
}

function verdictAt(
  name: string,
  { records, at = name }: { records: CaaRecord[]; at?: string },
  identities: readonly string[],
  binding: CaaBinding,
): CaaVerdict {
  const behind = at === name ? null : name
  const forbidden = (why: string, value: string | null): CaaForbidden => {
    return { kind: 'forbidden', at, behind, records, why, add: value === null ? null : { fqdn: at, value } }
  }
  const unknown = records.find(isUnknownCritical)
  if (unknown !== undefined) {
    const property = printableText(unknown.tag, 30)
    return forbidden(`an authority must understand the property "${property}", which is not known here`, null)
  }
  const issue = records.filter(({ tag }) => tag.toLowerCase() === 'issue')
  if (issue.length === 0) return { kind: 'allowed', methods: null }
  const ours = new Set(identities.map((identity) => identity.toLowerCase()))
  const values = issue.map(({ value }) => readIssueValue(value)).filter((value) => value !== null)
  const named = values.filter(({ issuer }) => issuer !== null && ours.has(issuer))
  const plain = `0 issue "${identities[0]}"`
  if (named.length === 0) return forbidden(`${othersOf(values)} may issue certificates`, plain)
  const grants = named.map(({ parameters }) => grantOf(parameters, binding))
  const given = grants.filter((grant) => grant.kind === 'granted')
  if (given.length > 0) return { kind: 'allowed', methods: anyOf(given.map(({ methods }) => methods)) }
  if (grants.some(({ kind }) => kind === 'unknown_account')) {
    const why = `those of ${at} allow one account only ("accounturi"), and ours is not known yet`
    return { kind: 'unclear', cause: 'unknown_account', why }
  }
  const refusal = grants.find((grant) => grant.kind === 'refused')
  // Whoever names an account keeps that protection with ours.
  const { accountUri } = binding
  const isBound =
    accountUri !== undefined && named.some(({ parameters }) => valuesOf(parameters, account).length > 0)
  const bound = isBound ? `0 issue "${identities[0]}; ${account}=${accountUri}"` : plain
  return forbidden(refusal?.why ?? 'no record can be met', bound)
}

/** A record that stops every authority that does not understand it, whatever the others say. */
export function isUnknownCritical(record: CaaRecord): boolean {
  return record.critical && !understood.has(record.tag.toLowerCase())
}

const understood: ReadonlySet<string> = new Set(['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc'])
/** A name may have over a hundred labels, and each of them a nameserver that is slow. */
const longestClimb = 60 * second
const defaultMethods = ['http-01', 'tls-alpn-01']
const account = 'accounturi'

/** Any one record is enough, so what each of them allows adds up. */
function anyOf(methods: readonly (readonly string[] | null)[]): readonly string[] | null {
  return methods.includes(null) ? null : [...new Set(methods.flatMap((some) => some ?? []))]
}

function othersOf(values: readonly IssueValue[]): string {
  const issuers = values.flatMap(({ issuer }) => issuer ?? [])
  const shown = [...new Set(issuers)].slice(0, 4).map((issuer) => printableText(issuer, 60))
  return shown.length === 0 ? 'nobody' : `only ${shown.join(', ')}`
}

type Grant =
  | { kind: 'granted'; methods: readonly string[] | null }
  | { kind: 'unknown_account' }
  | { kind: 'refused'; why: string }

/** RFC 8657: a parameter given twice, or in a form that cannot be read, is met by nobody. */
function grantOf(
  parameters: IssueValue['parameters'],
  { accountUri, methods = defaultMethods }: CaaBinding,
): Grant {
  const [list, ...more] = valuesOf(parameters, 'validationmethods')
  const allowed = list?.split(',') ?? null
  const isReadable = more.length === 0 && (allowed?.every((method) => /^[a-z0-9-]+$/i.test(method)) ?? true)
  if (!isReadable || allowed?.some((method) => methods.includes(method)) === false) {
    const why = `control must be proved in another way than by ${methods.join(' or ')} ("validationmethods")`
    return { kind: 'refused', why }
  }
  const accounts = valuesOf(parameters, account)
  if (accounts.length === 1 && accountUri === undefined) return { kind: 'unknown_account' }
  return accounts.length > 1 || accounts.some((one) => one !== accountUri)
    ? { kind: 'refused', why: 'the authority may issue to another account only ("accounturi")' }
    : { kind: 'granted', methods: allowed }
}

function valuesOf(parameters: IssueValue['parameters'], tag: string): string[] {
  return parameters.filter((one) => one.tag === tag).map(({ value }) => value)
}

/** The value of an `issue` property. No issuer: nobody is allowed by it. */
interface IssueValue {
  issuer: string | null
  parameters: { tag: string; value: string }[]
}

const label = '[a-z0-9](?:-*[a-z0-9])*'
const issuerName = new RegExp(`^${label}(?:\\.${label})*$`)
const parameter = new RegExp(`^(${label})[ \\t]*=[ \\t]*([\\x21-\\x3a\\x3c-\\x7e]*)$`, 'i')

/** The grammar of RFC 8659, section 4.2; null where the value does not follow it. */
function readIssueValue(value: string): IssueValue | null {
  if (value.length > longest) return null
  const [name = '', ...rest] = value.split(';').map((part) => part.replace(/^[ \t]+|[ \t]+$/g, ''))
  const issuer = name.toLowerCase()
  if (issuer !== '' && !issuerName.test(issuer)) return null
  const parts = rest.length === 1 && rest[0] === '' ? [] : rest
  const parameters: IssueValue['parameters'] = []
  for (const part of parts) {
    const [, tag, set] = parameter.exec(part) ?? []
    if (tag === undefined || set === undefined) return null
    parameters.push({ tag: tag.toLowerCase(), value: set })
  }
  return { issuer: issuer === '' ? null : issuer, parameters }
}

/** More than any sensible record, and little enough to be read at once. */
const longest = 2_000
