const maxHeader = 1_000

/** The language that the visitor likes best. `de` stands for `de-AT` as well. */
export class FirstLanguage {
  readonly #header: string | undefined
  #tag: string | null = null

  constructor(header: string | undefined) {
    this.#header = header
  }

  isOneOf(languages: readonly string[]): boolean {
    this.#tag ??= this.#header === undefined ? '' : firstLanguageOf(this.#header)
    const tag = this.#tag
    return languages.some((one) => tag === one || tag.startsWith(`${one}-`))
  }
}

function firstLanguageOf(header: string): string {
  let best = 0
  let preferred = ''
  for (const item of header.slice(0, maxHeader).toLowerCase().split(',')) {
    const [tag = '', ...parameters] = item.split(';').map((part) => part.trim())
    const given = parameters.find((one) => one.startsWith('q='))
    const weight = given === undefined ? 1 : Number(given.slice(2))
    if (tag === '' || !(weight > best)) continue
    best = weight
    preferred = tag
  }
  return preferred
}
