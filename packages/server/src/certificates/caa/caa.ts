import { isWildcard, withoutWildcard } from '../../dns/domain-name.ts'
import { second } from '../../kernel/clock.ts'
import { printableText } from '../../kernel/escape-text.ts'

export interface CaaRecord {
  critical: boolean
  tag: string
  value: string
}

/** Whether the certificate authority may issue for a name. */
export type CaaVerdict =
  /** `methods`: the validation methods that the records allow, by their ACME names; null for any. */
  | { kind: 'allowed'; methods: readonly string[] | null }
  | CaaForbidden
  /** `unknown_account`: the records name an account, and we have none before the first order. */
  | { kind: 'unclear'; cause: 'unread' | 'unknown_account'; why: string }

export interface CaaForbidden {
  kind: 'forbidden'
  /** The name that has the decisive records. */
  at: string
  /** The name whose CNAME points there; null if the records are at the name itself. */
  behind: string | null
  records: CaaRecord[]
  why: string
  /** The record that would allow it; null if none would. */
  add: { fqdn: string; value: string } | null
  /** The record that delegates challenges to us, if that would allow it too: the CAA records ask for dns-01. */
  delegate?: DelegatingRecord
}

export interface DelegatingRecord {
  type: 'CNAME'
  fqdn: string
  value: string
}

/** How we can prove a name to a certificate authority now. */
export interface ValidationMethods {
  usable: readonly string[]
  /** The record that would make dns-01 usable; null if it is, or if no record would. */
  delegate: DelegatingRecord | null
}

/** The CAA records of this name. `at`: the name that has them, if CNAMEs point to another one. */
export type CaaLookUp = (
  name: string,
  signal?: AbortSignal,
) => Promise<{ records: CaaRecord[]; at?: string } | 'failed'>

export interface CaaBinding {
  /** Our account at the CA. Without it, a record that names an account makes the verdict unclear. */
  accountUri?: string | undefined
  /** The validation methods we support. */
  methods?: readonly string[]
  /** Stops the lookups. Defaults to a timeout of a minute. */
  signal?: AbortSignal | undefined
}

/**
 * RFC 8659, section 3: the first name with CAA records decides, from the name itself up to its top-level domain. Its
 * parents are those of the name, not of what a CNAME points to. For a wildcard the first name is the one below the star.
 */
export async function checkCaa(
  hostname: string,
  identities: readonly string[],
  lookUp: CaaLookUp,
  binding: CaaBinding = {},
): Promise<CaaVerdict> {
  if (identities.length === 0) return { kind: 'allowed', methods: null }
  const { signal = AbortSignal.timeout(longestLookUp) } = binding
  const labels = withoutWildcard(hostname).split('.')
  for (let depth = 0; depth < labels.length; depth++) {
    const name = labels.slice(depth).join('.')
    const answer = signal.aborted ? 'failed' : await lookUp(name, signal).catch(() => 'failed' as const)
    if (answer === 'failed') return unreadableCaa(`the CAA records of ${name} could not be read`)
    if (answer.records.length > 0)
      return verdictAt(name, answer, identities, { ...binding, isWildcard: isWildcard(hostname) })
  }
  return { kind: 'allowed', methods: null }
}

/** What CAA records must allow: a certificate authority, by its identities, and our account there. */
export interface CaaQuestion {
  identities: readonly string[]
  accountUri?: string | undefined
}

/**
 * Allowed if one of the authorities is; otherwise the verdict about the first of them. `findMethods` may ask the DNS, so
 * it is called only if the records do not allow every method.
 */
export async function checkCaaOfAny(
  hostname: string,
  questions: readonly CaaQuestion[],
  lookUp: CaaLookUp,
  findMethods: () => Promise<ValidationMethods>,
  signal?: AbortSignal,
): Promise<CaaVerdict> {
  const answers = new Map<string, ReturnType<CaaLookUp>>()
  const lookUpOnce: CaaLookUp = (name, signal) => {
    const answer = answers.get(name) ?? lookUp(name, signal)
    answers.set(name, answer)
    return answer
  }
  const best = await checkWith(everyMethod)
  if (best.kind === 'unclear' || (best.kind === 'allowed' && best.methods === null)) return best
  const { usable, delegate } = await findMethods()
  const verdict = await checkWith(usable)
  if (verdict.kind !== 'forbidden' || delegate === null) return verdict
  return (await checkWith(['dns-01'])).kind === 'allowed' ? { ...verdict, delegate } : verdict

  async function checkWith(methods: readonly string[]): Promise<CaaVerdict> {
    let first: CaaVerdict | undefined
    for (const { identities, accountUri } of questions) {
      const binding = { accountUri, methods, signal }
      const verdict = await checkCaa(hostname, identities, lookUpOnce, binding)
      if (verdict.kind === 'allowed') return verdict
      first ??= verdict
    }
    return first ?? { kind: 'allowed', methods: null }
  }
}

export function unreadableCaa(why: string): CaaVerdict {
  return { kind: 'unclear', cause: 'unread', why }
}

function verdictAt(
  name: string,
  { records, at = name }: { records: CaaRecord[]; at?: string },
  identities: readonly string[],
  binding: CaaBinding & { isWildcard: boolean },
): CaaVerdict {
  const behind = at === name ? null : name
  const forbidden = (why: string, value: string | null): CaaForbidden => {
    return { kind: 'forbidden', at, behind, records, why, add: value === null ? null : { fqdn: at, value } }
  }
  const unknown = records.find(isUnknownCritical)
  if (unknown !== undefined) {
    const property = printableText(unknown.tag, 30)
    return forbidden(
      `a certificate authority must understand the property "${property}", which ours may not`,
      null,
    )
  }
  const tagged = (tag: string) => records.filter((record) => record.tag.toLowerCase() === tag)
  // RFC 8659, section 4.3. Without any, `issue` decides, and an added `issuewild` would shut out whom it allows.
  const tag = binding.isWildcard && tagged('issuewild').length > 0 ? 'issuewild' : 'issue'
  const issue = tagged(tag)
  if (issue.length === 0) return { kind: 'allowed', methods: null }
  const ours = new Set(identities.map((identity) => identity.toLowerCase()))
  const values = issue.map(({ value }) => readIssueValue(value)).filter((value) => value !== null)
  const named = values.filter(({ issuer }) => issuer !== null && ours.has(issuer))
  const plain = `0 ${tag} "${identities[0]}"`
  const what = tag === 'issuewild' ? 'wildcard certificates' : 'certificates'
  if (named.length === 0) return forbidden(`${othersOf(values)} may issue ${what}`, plain)
  const grants = named.map(({ parameters }) => grantOf(parameters, binding))
  const given = grants.filter((grant) => grant.kind === 'granted')
  if (given.length > 0) return { kind: 'allowed', methods: anyOf(given.map(({ methods }) => methods)) }
  if (grants.some(({ kind }) => kind === 'unknown_account')) {
    const why = `those of ${at} allow one account only ("accounturi"), and ours is not known yet`
    return { kind: 'unclear', cause: 'unknown_account', why }
  }
  const refusal = grants.find((grant) => grant.kind === 'refused')
  // If the records restrict accounts, suggest one that restricts to ours.
  const { accountUri } = binding
  const isBound =
    accountUri !== undefined && named.some(({ parameters }) => valuesOf(parameters, account).length > 0)
  const bound = isBound ? `0 ${tag} "${identities[0]}; ${account}=${accountUri}"` : plain
  return forbidden(refusal?.why ?? 'no record matches us', bound)
}

/** A critical record that is not understood forbids issuance, whatever the others say. */
export function isUnknownCritical(record: CaaRecord): boolean {
  return record.critical && !understood.has(record.tag.toLowerCase())
}

const understood: ReadonlySet<string> = new Set(['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc'])
/** A name may have over a hundred labels, each with a slow nameserver. */
const longestLookUp = 60 * second
const defaultMethods = ['http-01', 'tls-alpn-01']
const everyMethod = [...defaultMethods, 'dns-01']
const account = 'accounturi'

/** One record is enough, so the methods of all add up. */
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

/** RFC 8657: a duplicate or malformed parameter matches nobody. */
function grantOf(
  parameters: IssueValue['parameters'],
  { accountUri, methods = defaultMethods }: CaaBinding,
): Grant {
  const [list, ...more] = valuesOf(parameters, 'validationmethods')
  const allowed = list?.split(',') ?? null
  const isReadable = more.length === 0 && (allowed?.every((method) => /^[a-z0-9-]+$/i.test(method)) ?? true)
  if (!isReadable || allowed?.some((method) => methods.includes(method)) === false) {
    const why = `validation must use another method than ${methods.join(' or ')} ("validationmethods")`
    return { kind: 'refused', why }
  }
  const accounts = valuesOf(parameters, account)
  if (accounts.length === 1 && accountUri === undefined) return { kind: 'unknown_account' }
  return accounts.length > 1 || accounts.some((one) => one !== accountUri)
    ? { kind: 'refused', why: 'the certificate authority may only issue to another account ("accounturi")' }
    : { kind: 'granted', methods: allowed }
}

function valuesOf(parameters: IssueValue['parameters'], tag: string): string[] {
  return parameters.filter((one) => one.tag === tag).map(({ value }) => value)
}

/** The value of an `issue` or `issuewild` property. Without an issuer it allows nobody. */
interface IssueValue {
  issuer: string | null
  parameters: { tag: string; value: string }[]
}

const label = '[a-z0-9](?:-*[a-z0-9])*'
const issuerName = new RegExp(`^${label}(?:\\.${label})*$`)
const parameter = new RegExp(`^(${label})[ \\t]*=[ \\t]*([\\x21-\\x3a\\x3c-\\x7e]*)$`, 'i')

/** The grammar of RFC 8659, section 4.2; null if the value does not match it. */
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

/** Longer than any sensible record, but short enough to parse immediately. */
const longest = 2_000
