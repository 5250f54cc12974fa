/** Files that builds put a hash into the name of. Pages never have one: their addresses stay. */
const assetEnding =
  /\.(?:js|mjs|cjs|css|map|wasm|woff2?|ttf|otf|eot|png|jpe?g|gif|webp|avif|svg|ico|mp4|webm|mp3)$/i

/** Folders that only a build writes to, so that a name in them needs less proof. */
const buildFolder = /^\/(?:.+\/)?(?:_astro|_next\/static|_app\/immutable|_nuxt|assets)\//

/** As Rollup writes it, where a hyphen may be part of the hash. */
const base64Hash = /[.-]([\w-]{8})\.\w+$/

/**
 * Whether the name of a file contains a hash of its content, as Vite, webpack, Next, Hugo, Astro and Parcel write it. A
 * browser may then keep the file forever. A wrong yes would keep an old file, so words with numbers (`iPhone14`,
 * `1920x1080`, `20240115`) must not count; a wrong no costs one revalidation.
 */
export function isFingerprinted(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (!assetEnding.test(name)) return false
  const tokens = name.split(/[.-]/)
  const first = tokens[0] ?? ''
  // Set off by a dot or a hyphen before it, or the whole name, if it is so long that it cannot be anything else.
  if (first.length >= 16 && isHexHash(first)) return true
  const isInBuild = buildFolder.test(path)
  if (isInBuild && isMixedHash(base64Hash.exec(name)?.[1] ?? '', 3)) return true
  return tokens.slice(1, -1).some((token) => isHexHash(token) || isMixedHash(token, isInBuild ? 3 : 4))
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
