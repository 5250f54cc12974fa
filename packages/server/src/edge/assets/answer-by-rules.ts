import { findFile } from '@masthead/contract/site-paths/html-handling.ts'
import { decodeRoutePath } from '@masthead/contract/site-paths/site-path.ts'
import { type IndexedRules, varyingBy } from '@masthead/contract/site-rules/index-rules.ts'
import {
  nothingToShow,
  type PassOver,
  type RuleMatch,
} from '@masthead/contract/site-rules/match-redirects.ts'
import type { RedirectRule } from '@masthead/contract/site-rules/rules.ts'
import { answerFile, answerMissing, type RequestHeaders, redirect } from './answer-file.ts'
import { isNavigation, navigationHeaders } from './negotiate.ts'
import { notFoundPage } from './pages.ts'
import type { Reply } from './reply.ts'
import type { RequestTarget } from './request-path.ts'
import { type AssetDecision, findAsset, resolveMissing } from './resolve-asset.ts'
import type { Site } from './site.ts'

/** What happened on the way to an answer, for people who ask why. */
export interface Trace {
  passOver: PassOver
  answered(by: AnsweredBy): void
}

export interface AnsweredBy {
  step: 'forced-rule' | 'file' | 'rule' | 'html-handling' | 'not-found'
  rule: RedirectRule | null
  /** The published file that is shown; null for redirects and the server's own page. */
  file: string | null
  /** What was asked for, if the file is not the one at that path. */
  insteadOf: string | null
  /** Whether it answers for many paths. */
  isFallback: boolean
}

export interface SiteVisit {
  readonly site: Site
  readonly target: RequestTarget
  readonly headers: RequestHeaders
  readonly hostname: string
  readonly trace?: Trace | undefined
}

/**
 * The order in which a site with rules answers, after challenges and redirects of domains (router.ts): the first rule for
 * the path if it is forced, files, the first rule, HTML handling, not found. A pattern such as `/*` never hides a page:
 * `/docs` still leads to `/docs/` if that is a page, unless a rule names `/docs` itself.
 */
export function answerByRules(visit: SiteVisit, { redirects }: IndexedRules): Reply {
  const { site, target, headers, hostname, trace } = visit
  const path = target.isChallenge ? null : decodeRoutePath(target.path)
  const { 'accept-language': acceptLanguage, country } = headers
  const request = path === null ? null : { path, hostname, query: target.query, acceptLanguage, country }

  const firstMatch = () =>
    request === null || redirects === null ? null : redirects.match(request, trace?.passOver)
  const mayBeForced = request !== null && redirects?.mayComeBeforeFile(request) === true
  const early = mayBeForced ? firstMatch() : null
  if (early?.answer?.rule.force === true) {
    const reply = answerRule(visit, early, early.vary, 'forced-rule')
    if (reply !== null) return reply
  }

  const found = findAsset(site.manifest, site.settings, target.path, isNavigation(headers))
  const isFile = found !== null && (found.kind === 'file' || found.varies === true)
  if (found?.kind === 'file' && !mayBeForced && trace === undefined) return answerResolved(visit, found)
  if (isFile) {
    if (early?.answer) trace?.passOver(early.answer.rule, 'There is a file, and the rule is not forced.')
    return answerDecision(visit, found, early?.vary ?? '', 'file')
  }

  const match = mayBeForced ? early : firstMatch()
  const vary = match?.vary ?? ''
  const reply = found === null || match?.isExact === true ? answerRule(visit, match, vary, 'rule') : null
  if (reply !== null) return reply
  if (found !== null && match?.answer)
    trace?.passOver(match.answer.rule, 'A page wants this path, which a pattern never hides.')

  if (found !== null) return answerDecision(visit, found, vary, 'html-handling')
  const missing = resolveMissing(site.manifest, site.settings, target.path, isNavigation(headers))
  return answerDecision(visit, missing, vary, 'not-found', path)
}

/** Where only the path, and whether the request navigates, decide. The next request for it gets the same file at once. */
export function answerResolved(
  { site, target, headers, hostname }: SiteVisit,
  { path, varies, canonical }: AssetDecision & { kind: 'file' },
): Reply {
  const asset = site.asset(path, hostname)
  const shown = varies === true ? asset.varying(canonical) : asset
  if (!site.dependsOnHost) site.kept.resolvedAssets(isNavigation(headers)).set(target.path, shown)
  return answerFile(shown, headers)
}

/** Null if there is no rule, or no file for it to show. */
function answerRule(
  visit: SiteVisit,
  match: RuleMatch | null,
  vary: string,
  step: AnsweredBy['step'],
): Reply | null {
  const { site, target, headers, hostname, trace } = visit
  if (match === null || match.answer === null) return null
  const { answer } = match
  const { rule } = answer
  const { status } = rule
  if (answer.kind === 'redirect') {
    trace?.answered({ step, rule, file: null, insteadOf: null, isFallback: false })
    return redirect(answer.location, site.isPreview, vary || null, status)
  }
  const file = findFile(site.manifest, answer.path)
  if (file === null && status !== 404) {
    trace?.passOver(rule, nothingToShow(answer.path))
    return null
  }
  const insteadOf = decodeRoutePath(target.path)
  const isFallback = status === 200 && !match.isExact
  trace?.answered({ step, rule, file, insteadOf, isFallback })
  if (file === null) return notFoundPage
  const found = site.assetAt(file, insteadOf, hostname, isFallback)
  const asset = vary === '' ? found : found.with(varyingBy(vary))
  return status === 404 ? answerMissing(asset, headers) : answerFile(asset, headers)
}

/** The request headers that an answer depends on, each once. */
function joinVary(...lists: string[]): string {
  const names = lists.flatMap((list) => (list === '' ? [] : list.split(', ')))
  return [...new Set(names)].join(', ')
}

/** `missingPath`: what was asked for, if the file is not the one at that path. */
function answerDecision(
  { site, target, headers, hostname, trace }: SiteVisit,
  decision: AssetDecision,
  vary: string,
  step: AnsweredBy['step'],
  missingPath: string | null = null,
): Reply {
  const varies = decision.varies === true
  const isFallback = missingPath !== null && decision.kind === 'file'
  const file = decision.kind === 'file' ? decision.path : decision.kind === 'not-found' ? decision.page : null
  trace?.answered({
    step: decision.kind === 'redirect' ? 'html-handling' : step,
    rule: null,
    file,
    insteadOf: missingPath,
    isFallback,
  })
  const assetOf = (path: string) => {
    const asset =
      missingPath === null
        ? site.asset(path, hostname)
        : site.assetAt(path, missingPath, hostname, isFallback)
    return vary === '' ? asset : asset.with(varyingBy(vary))
  }
  switch (decision.kind) {
    case 'file': {
      const asset = assetOf(decision.path)
      return answerFile(varies ? asset.varying(decision.canonical) : asset, headers)
    }
    case 'redirect': {
      const all = joinVary(varies ? navigationHeaders : '', vary)
      return redirect(decision.location + target.query, site.isPreview, all || null, 307)
    }
    case 'not-found': {
      if (decision.page === null) return notFoundPage
      const asset = assetOf(decision.page)
      return answerMissing(varies ? asset.varying() : asset, headers)
    }
  }
}
