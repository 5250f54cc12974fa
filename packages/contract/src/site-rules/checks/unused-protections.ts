import type { HtmlHandling } from '../../project-settings.ts'
import { shownPathOf } from '../../site-paths/html-handling.ts'
import { otherSlash } from '../match-redirects.ts'
import { MatchBudget, MatchBudgetError, workPerCheck } from '../matching/match-budget.ts'
import { type Pattern, parsePattern } from '../pattern.ts'
import { PatternIndex } from '../pattern-index.ts'
import type { PlainProtection } from '../sources/protection-list.ts'

interface Protected {
  readonly rule: PlainProtection
  readonly pattern: Pattern
  readonly order: number
}

/**
 * Paths with a password that no file and no redirect or rewrite has, so that the page meant may be open to everyone.
 * None if there is too much to compare.
 */
export function findUnusedProtections(
  protections: readonly PlainProtection[],
  { files, htmlHandling }: { files: Iterable<string>; htmlHandling: HtmlHandling },
  redirects: readonly { readonly pattern: Pattern }[],
): PlainProtection[] {
  const unused = new Set<Protected>()
  const index = new PatternIndex<Protected>()
  for (const [order, rule] of protections.entries()) {
    const pattern = parsePattern(rule.from)
    if (typeof pattern === 'string') continue
    // Which hosts the site will have is not known.
    const entry = { rule, pattern: { ...pattern, host: null }, order }
    if (redirects.some((one) => mayMeet(entry.pattern, one.pattern))) continue
    unused.add(entry)
    index.add(entry)
  }
  const budget = new MatchBudget(workPerCheck)
  try {
    for (const file of files) {
      if (unused.size === 0) break
      for (const path of [file, shownPathOf({ htmlHandling }, file)]) {
        for (const spelling of [path, otherSlash(path)]) {
          for (const entry of index.match(spelling, '', budget)) unused.delete(entry)
        }
      }
    }
  } catch (error) {
    if (error instanceof MatchBudgetError) return []
    throw error
  }
  return Array.from(unused, ({ rule }) => rule)
}

/** Whether a path may match both. It may say so although none does. */
function mayMeet(one: Pattern, other: Pattern): boolean {
  const [own, others] = [withoutLastSlash(one), withoutLastSlash(other)]
  for (let at = 0; ; at++) {
    const [segment, otherSegment] = [own[at], others[at]]
    if (segment === undefined && one.splat !== null) return true
    if (otherSegment === undefined && other.splat !== null) return true
    if (segment === undefined || otherSegment === undefined) return segment === otherSegment
    const areTexts = typeof segment === 'string' && typeof otherSegment === 'string'
    if (areTexts && segment !== otherSegment) return false
  }
}

function withoutLastSlash({ segments, splat }: Pattern): Pattern['segments'] {
  return splat === null && segments.at(-1) === '' ? segments.slice(0, -1) : segments
}
