import type { HtmlHandling } from '../../project-settings.ts'
import { findByPath, findFile, type Paths } from '../../site-paths/html-handling.ts'
import { decodeSitePath } from '../../site-paths/site-path.ts'
import { otherSlash } from '../match-redirects.ts'
import { isStatic } from '../pattern.ts'
import type { ParsedRedirect } from '../redirect-list.ts'
import { excerpt } from '../rule-lines.ts'
import type { RedirectRule } from '../rules.ts'
import type { Steps } from './in-steps.ts'

interface Site {
  paths: Paths
  htmlHandling: HtmlHandling
}

/** One redirect of a visitor: by a rule, or by HTML handling. */
interface Step {
  from: string
  to: string
  rule: RedirectRule | null
}

interface Target {
  rule: RedirectRule
  /** Decoded. Null if it is elsewhere or depends on the request. */
  path: string | null
}

/**
 * Redirects that lead in circles, with a message for the first rule of each. Only rules for one path and without
 * conditions are followed. From each path there is one way, so each is visited once, however long the chains are.
 */
export function* findCycles(
  redirects: readonly ParsedRedirect[],
  site: Site,
): Steps<Map<RedirectRule, string>> {
  const followed = new FollowedRules(site)
  for (const redirect of redirects) {
    followed.add(redirect)
    yield
  }
  const messages = new Map<RedirectRule, string>()
  /** With the path that the visit started from. */
  const visited = new Map<string, string>()
  for (const start of followed.sources) {
    const steps: Step[] = []
    let path = start
    while (!visited.has(path)) {
      visited.set(path, start)
      const step = followed.stepFrom(path)
      if (step === null) break
      steps.push(step)
      path = step.to
    }
    const first = visited.get(path) === start ? steps.findIndex(({ from }) => from === path) : -1
    const cycle = first === -1 ? [] : steps.slice(first)
    const rules = cycle.flatMap(({ rule }) => rule ?? [])
    const [rule] = rules
    if (rule !== undefined && !endsWithItsQuery(rules)) messages.set(rule, describe(cycle, rules))
    yield
  }
  return messages
}

class FollowedRules {
  readonly #site: Site
  readonly #targets = new Map<string, Target>()

  constructor(site: Site) {
    this.#site = site
  }

  /** After all others. */
  add({ rule, pattern, target }: ParsedRedirect): void {
    if (pattern.host !== null || !isStatic(pattern)) return
    if (rule.query !== undefined || rule.languages !== undefined || rule.countries !== undefined) return
    const from = `/${pattern.segments.join('/')}`
    if (!this.#targets.has(from)) this.#targets.set(from, { rule, path: pathOf(target) })
  }

  get sources(): Iterable<string> {
    return this.#targets.keys()
  }

  /** In the order in which a site answers; null if the path is answered there, or leads elsewhere. */
  stepFrom(path: string): Step | null {
    const target = this.#targetOf(path)
    if (target?.rule.force === true) return stepOf(path, target)
    const found = findByPath(this.#site.paths, this.#site.htmlHandling, path)
    if (found !== null && found.canonical === null) return null
    if (target !== null && found?.isOwnName !== true) return stepOf(path, target)
    return found?.canonical ? { from: path, to: found.canonical, rule: null } : null
  }

  /** Null if no rule applies. One that leads to the same address, or shows a file that is missing, does not. */
  #targetOf(path: string): Target | null {
    const target = this.#targets.get(path) ?? this.#targets.get(otherSlash(path)) ?? null
    if (target === null || target.path === null) return target
    const { status } = target.rule
    const applies = status === 200 ? findFile(this.#site.paths, target.path) !== null : target.path !== path
    return applies ? target : null
  }
}

function stepOf(from: string, { rule, path }: Target): Step | null {
  const isFile = rule.status === 200 || rule.status === 404
  return isFile || path === null ? null : { from, to: path, rule }
}

function pathOf(target: ParsedRedirect['target']): string | null {
  const { path } = target
  if (typeof path !== 'string') return null
  if (!('origin' in target)) return path
  if (target.origin !== null) return null
  const base = 'http://localhost'
  // Browsers remove dot segments.
  const hasDots = /\/(?:\.|%2e)/i.test(path) && URL.canParse(path, base)
  return decodeSitePath(hasDots ? new URL(path, base).pathname : path)
}

/** A rule that adds its own query is skipped when the visitor comes back with it, so it does something once. */
function endsWithItsQuery([rule, ...others]: readonly RedirectRule[]): boolean {
  return others.length === 0 && rule !== undefined && rule.to.includes('?')
}

const mostShown = 4

function describe(cycle: readonly Step[], rules: readonly RedirectRule[]): string {
  const [rule] = rules
  if (rule !== undefined && rules.length === 1) {
    return `Its target ${excerpt(rule.to)} leads back to the same address, so the rule is skipped. Remove it.`
  }
  const paths = cycle.map(({ from }) => excerpt(from))
  const shown = [...paths.slice(0, mostShown), ...(paths.length > mostShown ? ['…'] : []), paths[0]]
  return `It leads in circles: ${shown.join(', ')}. Change or remove one of these rules.`
}
