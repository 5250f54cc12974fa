import { matchesSegment, matchesSplat } from '../match-pattern.ts'
import type { Segment, Splat, Template } from '../pattern.ts'
import { type MatchBudget, workPerSegment } from './match-budget.ts'

interface Node<T> {
  /** By their first segment. Null for none, because most nodes have none. */
  literals: Map<string, Stretch<T>> | null
  /** Any one segment. */
  any: Node<T> | null
  templates: readonly { readonly template: Template; readonly node: Node<T> }[]
  ends: readonly T[]
  splats: readonly { readonly splat: Splat; readonly entry: T }[]
}

/** Literal segments of which only the last leads to a node that decides anything. */
interface Stretch<T> {
  /** With slashes between them. */
  text: string
  segments: number
  node: Node<T>
}

interface Search<T> {
  readonly path: readonly string[]
  readonly found: T[]
  readonly budget: MatchBudget
}

const none: readonly never[] = []

/**
 * A tree of the segments of many patterns, of which a search visits each node at most once. Literal segments in a row
 * share a node until patterns part there (a radix tree): a node for each would take a hundred times the memory of the
 * text.
 */
export class PathTree<T> {
  readonly #root: Node<T> = newNode()

  add(segments: readonly Segment[], splat: Splat | null, entry: T): void {
    const node = nodeAt(this.#root, segments)
    if (splat === null) node.ends = [...node.ends, entry]
    else node.splats = [...node.splats, { splat, entry }]
  }

  /** Appends what matches. Throws MatchBudgetError. */
  find(path: readonly string[], found: T[], budget: MatchBudget): void {
    visit(this.#root, 0, { path, found, budget })
  }
}

function newNode<T>(): Node<T> {
  return { literals: null, any: null, templates: none, ends: none, splats: none }
}

function nodeAt<T>(root: Node<T>, segments: readonly Segment[]): Node<T> {
  let node = root
  for (let at = 0; at < segments.length; ) {
    const segment = segments[at] as Segment
    if (typeof segment === 'string') {
      const end = segments.findIndex((one, index) => index > at && typeof one !== 'string')
      const literals = segments.slice(at, end === -1 ? undefined : end) as readonly string[]
      const stretch = stretchOf(node, literals)
      node = stretch.node
      at += stretch.segments
    } else {
      node = childOf(node, segment)
      at++
    }
  }
  return node
}

/** A stretch of some of these segments, and at least the first. */
function stretchOf<T>(node: Node<T>, literals: readonly string[]): Stretch<T> {
  const [first = ''] = literals
  node.literals ??= new Map()
  const known = node.literals.get(first)
  if (known === undefined) {
    const stretch = { text: literals.join('/'), segments: literals.length, node: newNode<T>() }
    node.literals.set(first, stretch)
    return stretch
  }
  const { text, segments } = known
  const shared = sharedSegments(known, literals, 0)
  if (shared === segments) return known
  const length = literals.slice(0, shared).join('/').length
  const rest = text.slice(length + 1)
  const fork = newNode<T>()
  const [next = ''] = rest.split('/', 1)
  fork.literals = new Map([[next, { text: rest, segments: segments - shared, node: known.node }]])
  known.text = text.slice(0, length)
  known.segments = shared
  known.node = fork
  return known
}

/** How many segments of a stretch a path has from here on. */
function sharedSegments({ text }: Stretch<unknown>, path: readonly string[], at: number): number {
  let shared = 0
  for (let from = 0; from <= text.length; shared++) {
    const segment = path[at + shared]
    if (segment === undefined || !text.startsWith(segment, from)) return shared
    const end = from + segment.length
    if (end < text.length && text[end] !== '/') return shared
    from = end + 1
  }
  return shared
}

function childOf<T>(node: Node<T>, segment: Template): Node<T> {
  if (segment.literals.every((literal) => literal === '')) {
    node.any ??= newNode<T>()
    return node.any
  }
  const known = node.templates.find(({ template }) => isSameText(template, segment))
  if (known !== undefined) return known.node
  const child = newNode<T>()
  node.templates = [...node.templates, { template: segment, node: child }]
  return child
}

function isSameText(one: Template, other: Template): boolean {
  return (
    one.literals.length === other.literals.length &&
    one.literals.every((text, at) => text === other.literals[at])
  )
}

function visit<T>(node: Node<T>, at: number, search: Search<T>): void {
  const { path, found, budget } = search
  const { any, literals, templates, ends, splats } = node
  budget.spend((2 + templates.length + splats.length) * workPerSegment)
  const segment = path[at]
  if (segment === undefined) {
    for (const entry of ends) found.push(entry)
    return
  }
  for (const { splat, entry } of splats) {
    if (matchesSplat(splat, path, at, undefined, budget)) found.push(entry)
  }
  const stretch = literals?.get(segment)
  if (stretch !== undefined) visitStretch(stretch, at, search)
  if (any !== null && segment !== '') visit(any, at + 1, search)
  for (const { template, node: child } of templates) {
    if (matchesSegment(template, segment, undefined, budget)) visit(child, at + 1, search)
  }
}

function visitStretch<T>(stretch: Stretch<T>, at: number, search: Search<T>): void {
  const shared = sharedSegments(stretch, search.path, at)
  const isWhole = shared === stretch.segments
  search.budget.spend(2 * workPerSegment, isWhole ? shared - 1 : shared)
  if (isWhole) visit(stretch.node, at + shared, search)
}
