import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { seededBytes, seededRandom, weightedChoice, zipfWeights } from './seeded-random.ts'

export const [siteCount, fileCount] = [20, 1_000]

/** What a browser asks for, and how: each has its own request headers. */
export type FileKind = 'document' | 'style' | 'script' | 'image' | 'font'

export interface MixedFile {
  host: string
  /** As in a request. */
  path: string
  /** In the folder of its site. */
  file: string
  kind: FileKind
  /** How often it is asked for. */
  weight: number
}

interface KindOfFile {
  kind: FileKind
  /** Of all files. */
  share: number
  medianBytes: number
  /** Of the logarithm: the larger, the longer the tail. */
  spread: number
  name(n: number): string
  content(bytes: number, seed: number): Buffer
}

const kinds: readonly KindOfFile[] = [
  {
    kind: 'document',
    share: 0.28,
    medianBytes: 9_000,
    spread: 0.9,
    name: (n) => `guides/page-${n}/index.html`,
    content: html,
  },
  {
    kind: 'style',
    share: 0.1,
    medianBytes: 7_000,
    spread: 1,
    name: (n) => `assets/style-${hash(n)}.css`,
    content: css,
  },
  {
    kind: 'script',
    share: 0.22,
    medianBytes: 9_000,
    spread: 1.1,
    name: (n) => `assets/chunk-${hash(n)}.js`,
    content: js,
  },
  {
    kind: 'image',
    share: 0.32,
    medianBytes: 9_000,
    spread: 1.5,
    name: (n) => `images/photo-${n}.webp`,
    content: binary,
  },
  {
    kind: 'font',
    share: 0.08,
    medianBytes: 20_000,
    spread: 0.4,
    name: (n) => `assets/font-${hash(n)}.woff2`,
    content: binary,
  },
]
const [smallestFile, largestFile] = [300, 1_000_000]

/** As build tools name files. */
const hash = (n: number) =>
  Math.imul(n + 1, 2_654_435_761)
    .toString(16)
    .replace('-', 'f')
    .slice(0, 8)

export const isText = (kind: FileKind) => kind === 'document' || kind === 'style' || kind === 'script'

export const mixedHosts = Array.from(
  { length: siteCount },
  (_, site) => `site-${site + 1}.masthead.localhost`,
)
export const folderOf = (root: string, host: string) => join(root, host.split('.', 1)[0] ?? '')

/** Writes a folder for each site. Sizes, contents and popularity are the same in every run. */
export async function makeMixedSites(root: string): Promise<MixedFile[]> {
  const random = seededRandom(18)
  const pickKind = weightedChoice(
    kinds.map(({ share }) => share),
    random,
  )
  const files: MixedFile[] = []
  const weights = zipfWeights(fileCount)
    .map((weight) => ({ weight, order: random() }))
    .sort((one, other) => one.order - other.order)
  for (const [n, { weight }] of weights.entries()) {
    const isHome = n < siteCount
    const { kind, medianBytes, spread, name, content } =
      kinds[isHome ? 0 : pickKind()] ?? (kinds[0] as KindOfFile)
    const host = mixedHosts[isHome ? n : Math.floor(random() * siteCount)] ?? ''
    const file = isHome ? 'index.html' : name(n)
    const bytes = medianBytes * Math.exp(spread * normal(random))
    const whole = Math.round(Math.min(largestFile, Math.max(smallestFile, bytes)))
    const at = join(folderOf(root, host), file)
    await mkdir(dirname(at), { recursive: true })
    await writeFile(at, content(whole, n))
    files.push({ host, path: `/${file.replace(/index\.html$/, '')}`, file, kind, weight })
  }
  return files
}

/** Normally distributed (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function html(bytes: number, seed: number): Buffer {
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page ${seed}</title><link rel="stylesheet" href="/assets/style.css"><main>`
  return written(
    bytes,
    seed,
    head,
    (word) =>
      `<section class="${word()} ${word()}"><h2>${word()} ${word()}</h2><p>${word()} ${word()} ${word()} ${word()} ${word()} <a href="/guides/${word()}/">${word()}</a> ${word()} ${word()} ${word()}.</p></section>\n`,
  )
}

function css(bytes: number, seed: number): Buffer {
  return written(
    bytes,
    seed,
    '@charset "utf-8";\n',
    (word, random) =>
      `.${word()}-${word()} > .${word()} { display: flex; padding: ${Math.floor(random() * 64)}px; color: var(--${word()}); margin-inline: ${Math.floor(random() * 9)}rem }\n`,
  )
}

function js(bytes: number, seed: number): Buffer {
  return written(
    bytes,
    seed,
    '"use strict";',
    (word, random) =>
      `function ${word()}${Math.floor(random() * 99)}(e,t){const n=e.${word()};return n&&t.${word()}?n.${word()}(${Math.floor(random() * 4096)},"${word()} ${word()}"):null}`,
  )
}

function binary(bytes: number, seed: number): Buffer {
  return seededBytes(seed, bytes)
}

const syllables = [
  'ka',
  'ver',
  'lo',
  'min',
  'ta',
  're',
  'sol',
  'en',
  'pur',
  'di',
  'as',
  'qui',
  'on',
  'fel',
  'ur',
  'be',
]
const vocabulary = Array.from({ length: 900 }, (_, n) =>
  [n & 15, (n >> 4) & 15, (n * 7) & 15]
    .slice(0, 1 + (n % 3))
    .map((index) => syllables[index])
    .join(''),
)

/** Text that compresses as much as text of its kind does. */
function written(
  bytes: number,
  seed: number,
  head: string,
  line: (word: () => string, random: () => number) => string,
): Buffer {
  const random = seededRandom(seed + 1)
  const pick = weightedChoice(zipfWeights(vocabulary.length), random)
  const word = () => vocabulary[pick()] ?? ''
  let text = head
  while (text.length < bytes) text += line(word, random)
  return Buffer.from(text)
}
