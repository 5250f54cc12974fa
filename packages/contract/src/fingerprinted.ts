/** Files that builds put a hash into the name of. Pages never have one: their addresses stay. */
const assetEnding =
  /\.(?:js|mjs|cjs|css|map|wasm|woff2?|ttf|otf|eot|png|jpe?g|gif|webp|avif|svg|ico|mp4|webm|mp3)$/i

/** Folders of which Astro, Next, Nuxt and SvelteKit themselves say that every file in them may be kept forever. */
const frameworkFolder = /^\/(?:.+\/)?(?:_astro|_next\/static|_app\/immutable|_nuxt)\//

/** Folders that builds write to, and people as well. A name in them needs less proof. */
const assetsFolder = /^\/(?:.+\/)?(?:assets|static)\//

/** Eight characters at the end, as Rollup writes them, where a hyphen may be part of the hash. */
const lastToken = /[.-]([\w-]{8})(?:\.[a-z]+)?\.\w+$/

/**
 * Whether the name of a file contains a hash of its content, as Vite, webpack, Next, Hugo, Astro and Parcel write it. A
 * browser may then keep the file forever. A wrong yes would keep an old file, so words with numbers (`iPhone14`,
 * `1920x1080`, `20240115`) must not count; a wrong no costs one revalidation.
 */
export function isFingerprinted(path: string): boolean {
  const name = nameOf(path)
  if (!assetEnding.test(name)) return false
  if (frameworkFolder.test(path)) return true
  const tokens = name.split(/[.-]/)
  const first = tokens[0] ?? ''
  // Set off by a dot or a hyphen before it, or the whole name, if it is so long that it cannot be anything else.
  if (first.length >= 16 && isHexHash(first)) return true
  const transitions = assetsFolder.test(path) ? 3 : 4
  if (transitions === 3 && isMixedHash(lastToken.exec(name)?.[1] ?? '', transitions)) return true
  return tokens.slice(1, -1).some((token) => isHexHash(token) || isMixedHash(token, transitions))
}

/** Files of a folder that are judged together: people put images of their own beside those of a build, but rarely code. */
interface Group {
  files: number
  /** With a last token that may be a hash. */
  likely: number
}

/**
 * Finds the fingerprinted files of a site by their neighbours too. Of the hashes that Vite writes, four in ten look like
 * names that people give (`BwhUtsVv`). They count in a folder of assets that has an unmistakable hash, if nine in ten
 * names end in what may be one.
 */
export class Fingerprints {
  readonly #groups = new Map<string, Group>()
  readonly #builtFolders = new Set<string>()

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      if (!assetsFolder.test(path) || !assetEnding.test(path)) continue
      const key = groupOf(path)
      const group = this.#groups.get(key) ?? { files: 0, likely: 0 }
      this.#groups.set(key, group)
      group.files++
      if (!/^[A-Z]?[a-z]*$/.test(lastTokenOf(path))) group.likely++
      if (isFingerprinted(path)) this.#builtFolders.add(folderOf(path))
    }
  }

  has(path: string): boolean {
    if (isFingerprinted(path)) return true
    if (!this.#builtFolders.has(folderOf(path)) || !assetEnding.test(path)) return false
    const { files, likely } = this.#groups.get(groupOf(path)) ?? { files: 1, likely: 0 }
    return likely >= 0.9 * files && !likeWords.test(lastTokenOf(path))
  }
}

/** None, words, numbers, and words with numbers: `settings`, `HomePage`, `TOP_NEWS`, `20240115`, `1280x720`, `iPhone14`. */
const likeWords = /^(?:[A-Z]?[a-z]+(?:[A-Z][a-z]{2,}|\d+)*|[A-Z_]+|[a-z]+(?:_[a-z]+)+|\d*|\d+x\d+)$/

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

function groupOf(path: string): string {
  return `${folderOf(path)}${/\.(?:m?js|cjs|css|map)$/i.test(path) ? 'code' : 'media'}`
}

function lastTokenOf(path: string): string {
  return lastToken.exec(nameOf(path))?.[1] ?? ''
}

function isHexHash(token: string): boolean {
  return /^[0-9a-f]{8,64}$/.test(token) && /\d/.test(token) && transitionsIn(token) >= 2
}

/** Words of two letters or more, abbreviations and numbers, and nothing else: `Top10List`, `H264Main`, `Win10x64`. */
const wordsAndNumbers = /^(?:[A-Z_-]|\d|x(?=\d)|[a-z]{2,3}(?![a-z]))+$/

/** Base 62 or 64: lower and upper case and digits, in short runs. */
function isMixedHash(token: string, transitions: number): boolean {
  return (
    /^[\w-]{8,44}$/.test(token) &&
    /[a-z]/.test(token) &&
    /[A-Z]/.test(token) &&
    /\d/.test(token) &&
    !/[a-z]{4}|\d{4}/.test(token) &&
    !wordsAndNumbers.test(token) &&
    transitionsIn(token) >= transitions
  )
}

/** How often the kind of character changes. */
function transitionsIn(token: string): number {
  let count = 0
  for (let at = 1; at < token.length; at++) if (kindOf(token, at) !== kindOf(token, at - 1)) count++
  return count
}

function kindOf(token: string, at: number): number {
  const code = token.charCodeAt(at)
  return code <= 57 ? 0 : code <= 90 ? 1 : 2
}
