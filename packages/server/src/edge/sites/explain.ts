import type { AnswerStep, Explanation } from '@masthead/contract/schemas/site-rule.ts'
import type { HeaderChanges } from '@masthead/contract/site-rules/match-headers.ts'
import { MatchBudgetError } from '@masthead/contract/site-rules/matching/match-budget.ts'
import type { RedirectRule } from '@masthead/contract/site-rules/rules.ts'
import { headersFile } from '@masthead/contract/site-rules/rules.ts'
import { showRedirect, showSetting } from '@masthead/contract/site-rules/show-rules.ts'
import type { HostRedirect, SiteRecord, SiteTarget } from '../../projects/site.ts'
import type { AnsweredBy } from '../assets/answer-by-rules.ts'
import { addressTooLongPage } from '../assets/pages.ts'
import { isValidationPath, readRequestTarget } from '../assets/request-path.ts'
import { respond } from '../assets/respond.ts'
import type { Site } from '../assets/site.ts'
import { classifyHost, type HostNames } from './host.ts'
import { behindGate, guardedPaths } from './protected-sites.ts'
import { loadSite, type SiteSource, siteOf } from './site-router.ts'

export interface ExplainRequest {
  accountId: string
  url: URL
  /** Instead of the live one. */
  deployment: string | undefined
  acceptLanguage: string | undefined
  country?: string | undefined
}

type Explain = (request: ExplainRequest) => Promise<Explanation | null>

const maxPassedOver = 50

/** Says how an address is answered, by answering it. Null if it is none of the account's. */
export function createExplain(source: SiteSource, names: HostNames): Explain {
  return async ({ accountId, url, deployment, ...visitor }) => {
    const found = await findOwn(source, names, accountId, url.hostname)
    if (found === null) return null
    const { record, redirect } = found
    const target = readRequestTarget(`${url.pathname}${url.search}`)
    const answered = { project: record.slug, deployment: record.deploymentId as Explanation['deployment'] }
    if (target.isChallenge || isValidationPath(target.path)) return { ...answered, ...bare('challenge', 404) }
    if (redirect !== null && deployment === undefined) {
      const location = `https://${redirect.to}${url.pathname}${url.search}`
      const headers = [{ name: 'Location', value: location, from: [] }]
      return { ...answered, ...bare('domain-redirect', redirect.status), headers }
    }
    const preview = deployment?.replace(/^dpl_/, '')
    const site = await loadSite(
      source,
      preview === undefined ? found.target : { kind: 'preview', slug: record.slug, deployment: preview },
    )
    if (site === null) return null
    const { deploymentId } = site.record
    return {
      ...answered,
      deployment: deploymentId as Explanation['deployment'],
      ...explainWithin(site, target, url.hostname, visitor),
    }
  }
}

interface Found {
  record: SiteRecord
  redirect: HostRedirect | null
  target: SiteTarget
}

async function findOwn(
  source: SiteSource,
  names: HostNames,
  accountId: string,
  hostname: string,
): Promise<Found | null> {
  const host = classifyHost(hostname, names)
  const isSite = host.kind === 'project' || host.kind === 'preview'
  const route = host.kind === 'domain' ? await source.route(host.hostname) : null
  const slug = isSite ? host.slug : (route?.slug ?? null)
  const record = slug === null ? null : await source.find({ kind: 'project', slug })
  if (record === null || record.accountId !== accountId) return null
  const redirect = route?.kind === 'redirect' ? route : host.kind === 'project' ? record.redirect : null
  const target = host.kind === 'preview' ? host : siteOf(route?.kind === 'site' ? route : record)
  return { record, redirect, target }
}

type Answer = Omit<Explanation, 'project' | 'deployment'>

function bare(step: AnswerStep, status: number): Answer {
  return { step, rule: null, file: null, status, headers: [], settings: [], protection: [], passedOver: [] }
}

function explainWithin(...visit: Parameters<typeof explainSite>): Answer {
  try {
    return explainSite(...visit)
  } catch (error) {
    if (error instanceof MatchBudgetError) return bare('unavailable', addressTooLongPage.status)
    throw error
  }
}

function explainSite(
  site: Site,
  target: ReturnType<typeof readRequestTarget>,
  hostname: string,
  { acceptLanguage, country }: Pick<ExplainRequest, 'acceptLanguage' | 'country'>,
): Answer {
  const passedOver: { rule: RedirectRule; why: string }[] = []
  const answers: AnsweredBy[] = []
  const headers = { accept: 'text/html', 'accept-language': acceptLanguage, country }
  const reply = respond(site, 'GET', target, headers, hostname, {
    passOver: (rule, why) => {
      if (passedOver.length < maxPassedOver) passedOver.push({ rule, why })
    },
    answered: (by) => answers.push(by),
  })
  const [by] = answers
  if (by === undefined) return bare('unavailable', reply.status)
  const locks = site.gate?.locksAt(guardedPaths(site, target, reply), hostname) ?? []
  const shown = locks.length === 0 ? reply : behindGate(reply, site)
  const changes =
    by.file === null ? null : site.headerChangesAt(by.file, by.insteadOf, hostname, by.isFallback)
  return {
    step: by.step,
    rule: by.rule === null ? null : showRedirect(by.rule),
    file: by.file,
    status: reply.status,
    headers: headersOf(shown.headers, changes),
    settings: site.ownSettings.map(showSetting),
    protection: locks.map(({ rule }) =>
      rule === null ? { file: null, line: null } : { file: rule.file ?? headersFile, line: rule.line },
    ),
    passedOver: passedOver.map(({ rule, why }) => ({ rule: showRedirect(rule), why })),
  }
}

function headersOf(list: readonly string[], changes: HeaderChanges | null): Answer['headers'] {
  const headers: Answer['headers'] = []
  for (let at = 0; at + 1 < list.length; at += 2) {
    const [name = '', value = ''] = [list[at], list[at + 1]]
    const key = name.toLowerCase()
    const { values = [], rules = [] } = changes?.set.get(key) ?? {}
    // The server may send another one all the same: for missing paths and behind passwords.
    const isOwn = key !== 'cache-control' || values.some((text) => value.includes(text))
    const from = isOwn ? rules.map(({ file = headersFile, line }) => ({ file, line })) : []
    headers.push({ name, value, from })
  }
  return headers
}
