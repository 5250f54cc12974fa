import { matchesHost, segmentsOf } from './match-pattern.ts'
import { heapBytesOf } from './matching/heap-bytes.ts'
import { MatchBudget, MatchBudgetError, workPerSegment } from './matching/match-budget.ts'
import { PathTree } from './matching/path-tree.ts'
import { examplePath, isStatic, type Pattern, type Segment } from './pattern.ts'

export interface Indexed {
  readonly pattern: Pattern
  /** Position in the file. */
  readonly order: number
}

/**
 * Finds the rules that match a path. Paths without placeholders are looked up. The others share a tree of segments, of
 * which a request visits each node at most once, so no pattern can make it do more than look at every rule once. Many
 * rules that a long path almost matches would still take seconds, so there is a budget.
 */
export class PatternIndex<T extends Indexed> {
  readonly #everywhere = new PathIndex<T>()
  readonly #byHost = new Map<string, PathIndex<T>>()
  readonly #hostPatterns = new Map<string, { host: readonly Segment[]; index: PathIndex<T> }>()
  #size = 0
  #bytes = 0

  get size(): number {
    return this.#size
  }

  /** What it takes in memory besides the entries, at most. */
  get bytes(): number {
    return this.#bytes
  }

  get dependsOnHost(): boolean {
    return this.#byHost.size > 0 || this.#hostPatterns.size > 0
  }

  add(entry: T): void {
    this.#size++
    this.#bytes += indexBytesOf(entry.pattern)
    const { host } = entry.pattern
    const index = host === null ? this.#everywhere : this.#forHost(host)
    index.add(entry)
  }

  /** In the order of the file. Throws MatchBudgetError. */
  match(path: string, hostname: string, budget = new MatchBudget()): T[] {
    const found: T[] = []
    const search = { path: new SplitPath(path), found, budget }
    this.#everywhere.find(search)
    if (this.dependsOnHost) {
      const exact = this.#byHost.get(hostname)
      if (exact !== undefined) exact.find(search)
      for (const { host, index } of this.#hostPatterns.values()) {
        budget.spend(host.length * workPerSegment)
        if (matchesHost(host, hostname)) index.find(search)
      }
    }
    return found.length < 2 ? found : found.sort((a, b) => a.order - b.order)
  }

  /** Those for every host that match whatever a pattern matches. It may miss some, and finds none beyond the budget. */
  covering(pattern: Pattern, budget: MatchBudget): T[] {
    try {
      return this.match(examplePath(pattern), '', budget)
    } catch (error) {
      if (error instanceof MatchBudgetError) return []
      throw error
    }
  }

  #forHost(host: readonly Segment[]): PathIndex<T> {
    if (host.every((label) => typeof label === 'string')) {
      const name = host.join('.')
      const index = this.#byHost.get(name) ?? new PathIndex<T>()
      this.#byHost.set(name, index)
      return index
    }
    const text = JSON.stringify(host)
    const { index } = this.#hostPatterns.get(text) ?? { index: new PathIndex<T>() }
    this.#hostPatterns.set(text, { host, index })
    return index
  }
}

/** The text, nodes of the tree for each placeholder and what follows it, and an index of its own for the host. */
function indexBytesOf(pattern: Pattern): number {
  const { host, segments, splat } = pattern
  const placeholders = segments.filter((one) => typeof one !== 'string').length
  const nodes = isStatic({ ...pattern, host: null }) ? 0 : 1 + placeholders
  const hostBytes = host === null ? 0 : 500 + heapBytesOf(host)
  return 200 + 700 * nodes + heapBytesOf(segments.join()) + hostBytes + (splat === null ? 0 : 100)
}

interface Search<T> {
  readonly path: SplitPath
  readonly found: T[]
  readonly budget: MatchBudget
}

/** For the same hosts. Many have rules of one kind only. */
class PathIndex<T extends Indexed> {
  #byPath: Map<string, T[]> | null = null
  #tree: PathTree<T> | null = null

  add(entry: T): void {
    const { segments, splat } = entry.pattern
    if (!isStatic({ ...entry.pattern, host: null })) {
      this.#tree ??= new PathTree()
      this.#tree.add(segments, splat, entry)
      return
    }
    this.#byPath ??= new Map()
    const path = `/${segments.join('/')}`
    const same = this.#byPath.get(path)
    if (same === undefined) this.#byPath.set(path, [entry])
    else same.push(entry)
  }

  find({ path, found, budget }: Search<T>): void {
    const same = this.#byPath?.get(path.text)
    if (same !== undefined) for (const entry of same) found.push(entry)
    this.#tree?.find(path.segments, found, budget)
  }
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
