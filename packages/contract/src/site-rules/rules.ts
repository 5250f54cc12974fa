/** How a site is served, as its own files say it: the validated lines of `_redirects` and `_headers`. */
export interface SiteRules {
  redirects: readonly RedirectRule[]
  headers: readonly HeaderRule[]
}

/** 200 and 404 show a file of the site under the requested address; the others redirect. */
export const ruleStatuses = [200, 301, 302, 303, 307, 308, 404] as const
export type RuleStatus = (typeof ruleStatuses)[number]

export interface RedirectRule {
  line: number
  /** A pattern, as written. */
  from: string
  /** Names and values that the query must have. A value of `:name` is captured. */
  query?: readonly (readonly [name: string, value: string])[]
  /** The visitor's first language must be one of these. */
  languages?: readonly string[]
  /** As written. */
  to: string
  status: RuleStatus
  /** Applies even if there is a file at the path. */
  force?: true
}

export interface HeaderRule {
  line: number
  from: string
  /** Removed before `set` is added. */
  unset: readonly string[]
  set: readonly (readonly [name: string, value: string])[]
}

export const ruleLimits = {
  /** Without pattern or condition, for redirects and headers each. */
  staticRules: 10_000,
  dynamicRules: 1_000,
  /** With the same path and different conditions. */
  rulesPerPath: 100,
  redirectsBytes: 1024 ** 2,
  headersBytes: 64 * 1024,
  redirectLine: 2_000,
  headerLine: 8_192,
} as const

export const redirectsFile = '/_redirects'
export const headersFile = '/_headers'

const bytesOf = { [redirectsFile]: ruleLimits.redirectsBytes, [headersFile]: ruleLimits.headersBytes }

/** Says that a rules file is too large, by its size alone. */
export function sizeExcess(file: keyof typeof bytesOf, size: number): string | null {
  return size <= bytesOf[file] ? null : `${file.slice(1)} has ${size} bytes; the limit is ${bytesOf[file]}.`
}
