import { type MatchBudget, workPerSegment } from './matching/match-budget.ts'
import type { Pattern, Segment, Splat } from './pattern.ts'

export type Captures = Record<string, string>

/** The segments of a decoded path: two of `/docs/`, the second empty. */
export function segmentsOf(path: string): string[] {
  return path.slice(1).split('/')
}

/** Finds each literal in turn, so it takes one pass whatever the pattern. A placeholder takes one character or more. */
export function matchesSegment(
  segment: Segment,
  text: string,
  captures?: Captures,
  budget?: MatchBudget,
): boolean {
  if (typeof segment === 'string') return segment === text
  const { literals, names } = segment
  const [first = '', last = ''] = [literals[0], literals.at(-1)]
  if (!startsWith(text, first, budget) || !endsWith(text, last, budget)) return false
  let at = first.length
  for (const [index, name] of names.entries()) {
    const next = literals[index + 1] ?? ''
    const isLast = index === names.length - 1
    const end = isLast ? text.length - next.length : find(next, text, at + 1, budget)
    if (end <= at) return false
    if (captures !== undefined) captures[name] = text.slice(at, end)
    at = end + next.length
  }
  return true
}

function startsWith(text: string, literal: string, budget: MatchBudget | undefined): boolean {
  if (text.length < literal.length) return false
  budget?.spend(literal.length / 2)
  return text.startsWith(literal)
}

function endsWith(text: string, literal: string, budget: MatchBudget | undefined): boolean {
  if (text.length < literal.length) return false
  budget?.spend(literal.length / 2)
  return text.endsWith(literal)
}

/** Of longer texts, V8 knows no more than these characters when it goes on after a near miss. */
const quicklySought = 250

function find(literal: string, text: string, from: number, budget: MatchBudget | undefined): number {
  const places = text.length - from - literal.length + 1
  if (places <= 0) return -1
  if (literal.length > quicklySought) budget?.spend(places * literal.length)
  const found = text.indexOf(literal, from)
  budget?.spend(found === -1 ? places : found - from)
  return found
}

/** Whether a splat whose segment is the one at `at` matches the rest of the path. */
export function matchesSplat(
  splat: Splat,
  path: readonly string[],
  at: number,
  captures?: Captures,
  budget?: MatchBudget,
): boolean {
  const { prefix, suffix, tail, needs } = splat
  const last = path.length - tail.length - 1
  if (last < at) return false
  const [head = '', end = ''] = [path[at], path[last]]
  if (!startsWith(head, prefix, budget) || !endsWith(end, suffix, budget)) return false
  const least = prefix.length + suffix.length + (needs === 'text' ? 1 : 0)
  if (last === at && head.length < least) return false
  const matchesTail = tail.every((segment, index) => {
    budget?.spend(workPerSegment)
    return matchesSegment(segment, path[last + 1 + index] ?? '', captures, budget)
  })
  if (!matchesTail) return false
  if (captures !== undefined) {
    const matched = path.slice(at, last + 1).join('/')
    captures.splat = matched.slice(prefix.length, matched.length - suffix.length)
  }
  return true
}

/** What the placeholders and the splat of a pattern stand for; null if it does not match. */
export function capture(pattern: Pattern, path: readonly string[], hostname: string): Captures | null {
  const { host, segments, splat } = pattern
  const captures: Captures = Object.create(null)
  if (host !== null && !matchesHost(host, hostname, captures)) return null
  if (splat === null ? path.length !== segments.length : path.length <= segments.length) return null
  if (!segments.every((segment, at) => matchesSegment(segment, path[at] ?? '', captures))) return null
  return splat === null || matchesSplat(splat, path, segments.length, captures) ? captures : null
}

export function matchesHost(host: readonly Segment[], hostname: string, captures?: Captures): boolean {
  const labels = hostname.split('.')
  return (
    labels.length === host.length && host.every((one, at) => matchesSegment(one, labels[at] ?? '', captures))
  )
}
