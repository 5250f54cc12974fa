export interface RuleFinding {
  file: string
  /** Null if it is about the whole file. */
  line: number | null
  /** An error says that something is not used at all. */
  level: 'warning' | 'error'
  /** What is wrong, then what to do. */
  message: string
}

/** `_redirects line 4`. */
export function formatLocation({ file, line }: Pick<RuleFinding, 'file' | 'line'>): string {
  return line === null ? file.slice(1) : `${file.slice(1)} line ${line}`
}

const maxListed = 100

/** What is wrong with the rules of a site. A file of a million wrong lines is still a short list. */
export class RuleFindings {
  readonly #listed: RuleFinding[] = []
  #others = 0

  /** Whether others are only counted, so that nobody will read their messages. */
  get isFull(): boolean {
    return this.#listed.length === maxListed
  }

  add(finding: RuleFinding): void {
    if (this.#listed.length < maxListed) this.#listed.push(finding)
    else this.#others++
  }

  list(): RuleFinding[] {
    const last = this.#listed.at(-1)
    if (this.#others === 0 || last === undefined) return this.#listed
    const message = `There are ${this.#others} more like these. Fix the ones above first.`
    return [...this.#listed, { file: last.file, line: null, level: last.level, message }]
  }
}
