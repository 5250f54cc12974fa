import { detachString } from '../../kernel/cache/memoize.ts'
import type { AnswerMemory } from '../cache/answer-memory.ts'
import type { Asset } from './asset.ts'
import { bytesOf, isBuiltPerAnswer, type Reply } from './reply.ts'

/** What a site remembers of its answers. */
export class KeptAnswers {
  /** With the headers of rules, if they do not depend on the host. */
  readonly assets = new Map<string, Asset>()
  /** Without them. */
  readonly bareAssets = new Map<string, Asset>()
  /** The same, where another path shows them. */
  readonly bareElsewhere = new Map<string, Asset>()
  /** For visitors who were let in. */
  readonly behindGate: DerivedReplies
  /** With HSTS. */
  readonly overHttps: DerivedReplies
  /** Without HSTS, which a rule set. */
  readonly overPlainHttp: DerivedReplies
  readonly #forNavigations: ResolvedAssets
  readonly #forOthers: ResolvedAssets

  constructor(files: number, memory: AnswerMemory) {
    this.behindGate = new DerivedReplies(memory)
    this.overHttps = new DerivedReplies(memory)
    this.overPlainHttp = new DerivedReplies(memory)
    this.#forNavigations = new ResolvedAssets(files, memory)
    this.#forOthers = new ResolvedAssets(files, memory)
  }

  /** Where the path of a request and whether it navigates decide which file answers. */
  resolvedAssets(isNavigation: boolean): ResolvedAssets {
    return isNavigation ? this.#forNavigations : this.#forOthers
  }
}

/** Replies by those they follow from. The same one every time, so that what is derived from it is kept as well. */
class DerivedReplies {
  readonly #memory: AnswerMemory
  readonly #known = new WeakMap<Reply, Reply>()

  constructor(memory: AnswerMemory) {
    this.#memory = memory
  }

  of(reply: Reply, derive: (reply: Reply) => Reply): Reply {
    if (isBuiltPerAnswer(reply)) return derive(reply)
    const known = this.#known.get(reply)
    if (known !== undefined) return known
    const derived = derive(reply)
    this.#memory.add(bytesOf(derived))
    this.#known.set(reply, derived)
    return derived
  }
}

/** Of a path that is remembered. */
const longestPath = 256
/** What a path takes in memory besides its characters. */
const bytesPerPath = 100

/** Paths of requests that a file has answered, as they were spelled. There are many spellings, so they are bounded. */
class ResolvedAssets {
  readonly #byPath = new Map<string, Asset>()
  readonly #limit: number
  readonly #memory: AnswerMemory

  constructor(files: number, memory: AnswerMemory) {
    this.#limit = files + 10
    this.#memory = memory
  }

  get(path: string): Asset | undefined {
    return this.#byPath.get(path)
  }

  set(path: string, asset: Asset): void {
    if (path.length > longestPath) return
    if (this.#byPath.size >= this.#limit) this.#byPath.clear()
    this.#memory.add(bytesPerPath + path.length)
    this.#byPath.set(detachString(path), asset)
  }
}
