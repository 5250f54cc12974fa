import { type Browser, browsers, type Header } from './browsers.ts'
import { seededRandom, weightedChoice } from './seeded-random.ts'
import type { FileKind, MixedFile } from './sites.ts'

/** A file as one server answers it to a browser. */
export interface ExpectedFile extends MixedFile {
  /** Of the body, as sent. */
  bytes: number
  etag: string
}

export interface MixedRequest {
  file: ExpectedFile
  isConditional: boolean
}

const conditionalShare = 0.2

/** One browser on one site, over one connection. */
export class Visitor {
  readonly host: string
  readonly browser: Browser
  readonly #number: number
  readonly #files: readonly ExpectedFile[]
  readonly #pick: () => number
  readonly #random: () => number
  #left = 0
  #unanswered = 0
  #waiting: PromiseWithResolvers<void> | null = null
  /** Set by the protocol's client: sends what may be sent. */
  send: () => void = () => {}

  constructor(number: number, host: string, files: readonly ExpectedFile[]) {
    this.host = host
    this.browser = browsers[number % browsers.length] as Browser
    this.#number = number
    this.#files = files
    this.#random = seededRandom(number)
    this.#pick = weightedChoice(
      files.map(({ weight }) => weight),
      this.#random,
    )
  }

  /** Makes this many requests, and ends when all are answered. */
  visit(requests: number): Promise<void> {
    this.#left = this.#unanswered = requests
    this.#waiting = Promise.withResolvers()
    this.send()
    return this.#waiting.promise
  }

  /** Null if there are no more. */
  next(): MixedRequest | null {
    if (this.#left === 0) return null
    this.#left--
    const file = this.#files[this.#pick()] as ExpectedFile
    return { file, isConditional: this.#random() < conditionalShare }
  }

  /** Throws if the answer is not the expected one: then this measurement is void. */
  answered({ file, isConditional }: MixedRequest, status: number, bytes: number): void {
    if (status !== (isConditional ? 304 : 200) || bytes !== (isConditional ? 0 : file.bytes))
      throw new Error(
        `${file.host}${file.path}: ${status} with ${bytes} bytes, conditional: ${isConditional}`,
      )
    this.#unanswered--
    if (this.#unanswered === 0) this.#waiting?.resolve()
  }

  headersFor(kind: FileKind, scheme: string): Header[] {
    return this.browser.headersFor(kind, { host: this.host, scheme, number: this.#number })
  }
}

/** This many visitors, on each site at least one, and otherwise as its files are asked for. */
export function shareOut(count: number, files: readonly ExpectedFile[]): Visitor[] {
  const sites = [...Map.groupBy(files, ({ host }) => host)].map(([host, ownFiles]) => ({
    host,
    ownFiles,
    weight: ownFiles.reduce((sum, { weight }) => sum + weight, 0),
    visitors: 1,
  }))
  for (let left = count - sites.length; left > 0; left--) {
    const next = sites.reduce((most, site) =>
      site.weight / site.visitors > most.weight / most.visitors ? site : most,
    )
    next.visitors++
  }
  const hosts = sites.flatMap(({ host, ownFiles, visitors }) =>
    Array<[string, ExpectedFile[]]>(visitors).fill([host, ownFiles]),
  )
  return hosts.map(([host, ownFiles], number) => new Visitor(number, host, ownFiles))
}
