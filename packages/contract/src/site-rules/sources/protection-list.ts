import { protectionLimits } from '../../project-settings.ts'
import { excerpt } from '../rule-lines.ts'
import { headersFile } from '../rules.ts'

/** As the site's files have it. Only its hash is stored. */
export interface PlainCredential {
  /** Null if the password is for everyone. */
  user: string | null
  password: string
}

/** Paths that need a password. Without any credential, nobody gets in but members of the account. */
export interface PlainProtection {
  /** Omitted: `_headers`. */
  file?: string
  line: number | null
  from: string
  credentials: readonly PlainCredential[]
}

const { rulesPerSite, credentialsPerSite, passwordsPerUser, userBytes, passwordBytes } = protectionLimits

/** What needs a password, from every file that says so. */
export class ProtectionList {
  readonly rules: PlainProtection[] = []
  excess: string | null = null
  readonly #passwords = new Map<string | null, Set<string>>()

  add(rule: PlainProtection): void {
    this.rules.push(rule)
    for (const { user: written, password } of rule.credentials) {
      // As visitors are compared: a try checks the passwords of every spelling.
      const user = written?.normalize('NFC') ?? null
      this.#passwords.set(user, (this.#passwords.get(user) ?? new Set()).add(password))
    }
    const counts = [...this.#passwords.values()].map(({ size }) => size)
    const total = counts.reduce((sum, count) => sum + count, 0)
    const name = (rule.file ?? headersFile).slice(1)
    if (this.rules.length > rulesPerSite) {
      this.excess ??= `${name} protects more than ${rulesPerSite} paths.`
    } else if (total > credentialsPerSite) {
      this.excess ??= `${name} has more than ${credentialsPerSite} passwords.`
    } else if (counts.some((count) => count > passwordsPerUser)) {
      this.excess ??= `${name} has more than ${passwordsPerUser} passwords for one user.`
    }
  }
}

/** Why a visitor could not sign in with it. Never repeats a password. */
export function credentialProblem({ user, password }: PlainCredential): string | null {
  const bytes = (text: string) => new TextEncoder().encode(text).length
  if (user === '') return 'A user has no name.'
  if (password === '') return 'A password is empty.'
  if (user !== null && bytes(user) > userBytes) return `A user's name is longer than ${userBytes} bytes.`
  return bytes(password) > passwordBytes ? `A password is longer than ${passwordBytes} bytes.` : null
}

/** Not a header, although it is written like one. */
export function isBasicAuth(name: string): boolean {
  return name.toLowerCase() === 'basic-auth'
}

/**
 * Whether a line or the name of a header is meant to be `Basic-Auth`, however it is written: as a header, `BasicAuth`
 * would show the password to everyone. `Basic-Auth-Realm` is another name.
 */
export function isMeantAsBasicAuth(text: string): boolean {
  return /^[^\p{L}\p{N}]*basic[^\p{L}\p{N}]*auth(?![\p{L}\p{N}]|-\p{L})/iu.test(text)
}

/** Whether a name or a text anywhere in a value is meant to be `Basic-Auth`. */
export function hasBasicAuth(value: unknown): boolean {
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string' && isMeantAsBasicAuth(one)) return true
    if (typeof one !== 'object' || one === null) continue
    for (const [name, inside] of Object.entries(one)) left.push(name, inside)
  }
  return false
}

/** Whether a file that cannot be read seems to have passwords. */
export function speaksOfProtection(text: string): boolean {
  const isComment = (line: string) => /^\s*(?:#|\/\/)/.test(line)
  const meant = /basic[^\p{L}\p{N}]{0,3}auth|["']?\bprotect(?:ed|ion|s)?["']?\s*:/iu
  return text.split('\n').some((line) => meant.test(line) && !isComment(line))
}

export const wrongBasicAuth = 'Write Basic-Auth: user:password, on a line of its own.'

/** The value of a `Basic-Auth` line: `user:password`, several with spaces between them. */
export function parseBasicAuth(value: string): { credentials: PlainCredential[]; problem: string | null } {
  const credentials: PlainCredential[] = []
  let problem: string | null = value === '' ? 'Basic-Auth has no value. Write user:password.' : null
  for (const pair of value.split(/\s+/)) {
    const colon = pair.indexOf(':')
    const credential = { user: pair.slice(0, Math.max(0, colon)), password: pair.slice(colon + 1) }
    const fault = colon === -1 ? 'A user has no password.' : credentialProblem(credential)
    if (fault === null) credentials.push(credential)
    else problem ??= `Basic-Auth: ${fault} Write user:password, and spaces between several.`
  }
  return { credentials, problem }
}

/** Nobody should read a page because of a typing error. */
export function closedBecause(problem: string, from: string): string {
  return `${problem} Until then only members of the account get in to ${excerpt(from)}.`
}
