import type { HtmlHandling } from '../project-settings.ts'
import type { SplatNeed } from './pattern.ts'

/** How a site is served, as its own files say it. */
export interface SiteRules {
  redirects: readonly RedirectRule[]
  headers: readonly HeaderRule[]
  /** Instead of the project's, for this deployment. At most one of each name. */
  settings?: readonly RuleSetting[]
  protect?: readonly ProtectRule[]
}

/** 200 and 404 show a file of the site under the requested address; the others redirect. */
export const ruleStatuses = [200, 301, 302, 303, 307, 308, 404] as const
export type RuleStatus = (typeof ruleStatuses)[number]

export interface RedirectRule {
  /** Omitted: `_redirects`. */
  file?: string
  /** Null if it is not known. */
  line: number | null
  /** A pattern, as written. */
  from: string
  splat?: SplatNeed
  /** Names and values that the query must have. A value of `:name` is captured. */
  query?: readonly (readonly [name: string, value: string])[]
  /** The visitor's first language must be one of these. */
  languages?: readonly string[]
  /** The visitor must be in one of these, in lower case. */
  countries?: readonly string[]
  /** As written. */
  to: string
  status: RuleStatus
  /** Applies even if there is a file at the path. */
  force?: true
}

export interface HeaderRule {
  /** Omitted: `_headers`. */
  file?: string
  line: number | null
  from: string
  splat?: SplatNeed
  /** Removed before `set` is added. */
  unset: readonly string[]
  set: readonly (readonly [name: string, value: string])[]
}

/** Paths that need a password. */
export interface ProtectRule {
  /** Omitted: `_headers`. */
  file?: string
  line: number | null
  from: string
  /** A null user: the password is for everyone. */
  credentials: readonly { user: string | null; hash: string }[]
}

/** What a project has as settings too. */
export interface SiteSettings {
  htmlHandling: HtmlHandling
  singlePage: boolean
  /** The page for missing paths; null for the nearest 404.html. */
  notFound: string | null
}

export type RuleSetting = {
  [Name in keyof SiteSettings]: {
    file: string
    line: number | null
    name: Name
    value: NonNullable<SiteSettings[Name]>
  }
}[keyof SiteSettings]

export const ruleLimits = {
  /** Without pattern or condition, for redirects and headers each. */
  staticRules: 10_000,
  dynamicRules: 1_000,
  /** Of a list in JSON or TOML. */
  entries: 11_000,
  /** Of an entry, such as the parameters of its query. */
  entryParts: 1_000,
  /** With the same path and different conditions. */
  rulesPerPath: 100,
  redirectsBytes: 1024 ** 2,
  /** Of `_headers`, and of all header rules of a site together. */
  headersBytes: 64 * 1024,
  /** From all rules for a path together. Python refuses answers with more than 100, and we send some ourselves. */
  headersPerAnswer: 80,
  /** Node refuses answers with 16 KiB of them, and proxies often less. */
  headerBytesPerAnswer: 15 * 1024,
  /** Reading TOML takes longer than the other files. */
  tomlBytes: 256 * 1024,
  redirectLine: 2_000,
  headerLine: 8_192,
} as const

export const redirectsFile = '/_redirects'
export const headersFile = '/_headers'

/** The files that rules are read from. Of two that disagree, the earlier one applies, and the clash is reported. */
export const ruleFiles = [
  '/masthead.json',
  '/masthead.yaml',
  '/masthead.yml',
  redirectsFile,
  headersFile,
  '/netlify.toml',
  '/vercel.json',
] as const

export type RuleFile = (typeof ruleFiles)[number]

/** Stored instead of a rules file with passwords. Its rules are stored elsewhere, with hashes. */
export const withheldText = 'This file had passwords, so only its rules are stored.\n'

/** Says that a rules file is too large, by its size alone. */
export function sizeExcess(file: RuleFile, size: number): string | null {
  const limit =
    file === headersFile
      ? ruleLimits.headersBytes
      : file === '/netlify.toml'
        ? ruleLimits.tomlBytes
        : ruleLimits.redirectsBytes
  return size <= limit ? null : `${file.slice(1)} has ${size} bytes; the limit is ${limit}.`
}
