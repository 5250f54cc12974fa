import { matchesHost, matchesSegment, matchesSplat, segmentsOf } from './match-pattern.ts'
import { MatchBudget, MatchBudgetError, workPerSegment } from './matching/match-budget.ts'
import { isStatic, type Pattern, type Segment, type Splat, type Template } from './pattern.ts'

export interface Indexed {
  readonly pattern: Pattern
  /** Position in the file. */
  readonly order: number
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  /** Any one segment. */
  any: Node<T> | null
  readonly templates: { template: Template; node: Node<T> }[]
  readonly ends: T[]
  readonly splats: { splat: Splat; entry: T }[]
}

/**
 * Finds the rules that match a path. Paths without placeholders are looked up. The others share a tree of segments, of
 * which a request visits each node at most once, so no pattern can make it do more than look at every rule once. Many
 * rules that a long path almost matches would still take seconds, so there is a budget.
 */
export class PatternIndex<T extends Indexed> {
  readonly #byPath = new Map<string, T[]>()
  readonly #tree: Node<T> = newNode()
  readonly #byHost = new Map<string, PatternIndex<T>>()
  readonly #hostPatterns = new Map<string, { host: readonly Segment[]; index: PatternIndex<T> }>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get dependsOnHost(): boolean {
    return this.#byHost.size > 0 || this.#hostPatterns.size > 0
  }

  add(entry: T): void {
    this.#size++
    const { host } = entry.pattern
    if (host === null) this.#addPath(entry)
    else this.#forHost(host).#addPath(entry)
  }

  /** In the order of the file. Throws MatchBudgetError. */
  match(path: string, hostname: string, budget = new MatchBudget()): T[] {
    const found: T[] = []
    const search = { path: new SplitPath(path), found, budget }
    this.#find(search)
    if (this.dependsOnHost) {
      const exact = this.#byHost.get(hostname)
      if (exact !== undefined) exact.#find(search)
      for (const { host, index } of this.#hostPatterns.values()) {
        budget.spend(host.length * workPerSegment)
        if (matchesHost(host, hostname)) index.#find(search)
      }
    }
    return found.length < 2 ? found : found.sort((a, b) => a.order - b.order)
  }

  /** Those for every host that match whatever a pattern matches. It may miss some, and finds none beyond the budget. */
  covering({ segments, splat }: Pattern, budget: MatchBudget): T[] {
    // A segment that no path has stands for anything.
    const anything = '\0'
    const known = segments.map((one) => (typeof one === 'string' ? one : anything))
    const path = `/${(splat === null ? known : [...known, anything, anything]).join('/')}`
    try {
      return this.match(path, '', budget)
    } catch (error) {
      if (error instanceof MatchBudgetError) return []
      throw error
    }
  }

  #forHost(host: readonly Segment[]): PatternIndex<T> {
    const index = new PatternIndex<T>()
    if (host.every((label) => typeof label === 'string')) {
      const name = host.join('.')
      const known = this.#byHost.get(name)
      if (known === undefined) this.#byHost.set(name, index)
      return known ?? index
    }
    const text = JSON.stringify(host)
    const known = this.#hostPatterns.get(text)
    if (known === undefined) this.#hostPatterns.set(text, { host, index })
    return known?.index ?? index
  }

  #addPath(entry: T): void {
    const { segments, splat } = entry.pattern
    if (isStatic({ ...entry.pattern, host: null })) {
      const path = `/${segments.join('/')}`
      const same = this.#byPath.get(path)
      if (same === undefined) this.#byPath.set(path, [entry])
      else same.push(entry)
      return
    }
    let node = this.#tree
    for (const segment of segments) node = childOf(node, segment)
    if (splat === null) node.ends.push(entry)
    else node.splats.push({ splat, entry })
  }

  #find(search: Search<T>): void {
    const same = this.#byPath.get(search.path.text)
    if (same !== undefined) for (const entry of same) search.found.push(entry)
    if (!isEmpty(this.#tree)) visit(this.#tree, search.path.segments, 0, search)
  }
}

interface Search<T> {
  readonly path: SplitPath
  readonly found: T[]
  readonly budget: MatchBudget
}

/** Split once, however many hosts have rules. */
class SplitPath {
  readonly text: string
  #segments: readonly string[] | null = null

  constructor(text: string) {
    this.text = text
  }

  get segments(): readonly string[] {
    this.#segments ??= segmentsOf(this.text)
    return this.#segments
  }
}

function newNode<T>(): Node<T> {
  return { literals: new Map(), any: null, templates: [], ends: [], splats: [] }
}

function isEmpty({ literals, any, templates, splats }: Node<unknown>): boolean {
  return literals.size === 0 && any === null && templates.length === 0 && splats.length === 0
}

function childOf<T>(node: Node<T>, segment: Segment): Node<T> {
  if (typeof segment === 'string') {
    const child = node.literals.get(segment) ?? newNode<T>()
    node.literals.set(segment, child)
    return child
  }
  if (segment.literals.every((literal) => literal === '')) {
    node.any ??= newNode<T>()
    return node.any
  }
  const known = node.templates.find(({ template }) => isSameText(template, segment))
  if (known !== undefined) return known.node
  const child = newNode<T>()
  node.templates.push({ template: segment, node: child })
  return child
}

function isSameText(one: Template, other: Template): boolean {
  return (
    one.literals.length === other.literals.length &&
    one.literals.every((text, at) => text === other.literals[at])
  )
}

function visit<T>(node: Node<T>, path: readonly string[], at: number, search: Search<T>): void {
  const { found, budget } = search
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
  const literal = literals.get(segment)
  if (literal !== undefined) visit(literal, path, at + 1, search)
  if (any !== null && segment !== '') visit(any, path, at + 1, search)
  for (const { template, node: child } of templates) {
    if (matchesSegment(template, segment, undefined, budget)) visit(child, path, at + 1, search)
  }
}
