import { posix } from 'node:path'
import type { Fault } from '../repository.ts'
import { anchorsOf, type Located, type MarkdownDocument } from './markdown.ts'

/** What a document can point at. */
export interface Tree {
  /** Names of the files and folders at the root. */
  topLevel: ReadonlySet<string>
  exists(path: string): boolean
  document(path: string): MarkdownDocument | undefined
}

/** Documents may shorten the paths below these folders. */
const shortenedBelow = ['packages/server/src']

/** Every file or folder of the repository that a document names must exist. */
export function checkCitedPaths(file: string, { code, fenced }: MarkdownDocument, tree: Tree): Fault[] {
  const words = fenced.flatMap(({ text, line }) => text.split(/\s+/).map((word) => ({ text: word, line })))
  const cited = [...code.filter(looksLikePath), ...words.filter(({ text }) => startsAtTop(text, tree))]
  return cited
    .filter(({ text }) => isPlain(text) && (startsAtTop(text, tree) || isSourceFile(text)))
    .map(({ text, line }) => ({ path: text.replace(/:\d+$|[.,;:]$/, '').replace(/^\.\//, ''), line }))
    .filter(
      ({ path }) =>
        ![...shortenedBelow, '', posix.dirname(file)].some((base) => tree.exists(posix.join(base, path))),
    )
    .map(({ path, line }) => ({ file, line, message: `names ${path}, which does not exist` }))
}

/** Relative links must point to a file, and their anchors to a heading in it. */
export function checkLinks(file: string, { links }: MarkdownDocument, tree: Tree): Fault[] {
  return links.flatMap(({ text, line }) => {
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(text)) return []
    const [path = '', anchor] = decodeURI(text).split('#')
    const target = path === '' ? file : posix.join(posix.dirname(file), path)
    if (!tree.exists(target)) return [{ file, line, message: `links to ${text}, which does not exist` }]
    const headings = tree.document(target)?.headings
    if (anchor === undefined || headings === undefined || anchorsOf(headings).has(anchor)) return []
    return [{ file, line, message: `links to ${text}, but ${target} has no such heading` }]
  })
}

function looksLikePath({ text }: Located): boolean {
  return text.includes('/') || /^[A-Za-z0-9._-]+\.(md|ts|tsx|json)$/.test(text)
}

/** Placeholders, globs, commands and URLs are not paths of one file. */
function isPlain(text: string): boolean {
  return /^[\w@./:-]+$/u.test(text) && !text.includes('//')
}

function startsAtTop(text: string, tree: Tree): boolean {
  const [first = '', ...rest] = text.replace(/^\.\//, '').split('/')
  return tree.topLevel.has(first) && (rest.length > 0 || first.includes('.'))
}

/** `edge/route.ts` or `ARCHITECTURE.md`; a bare name such as `store.ts` can mean many files. */
function isSourceFile(text: string): boolean {
  return /^[\w.-]+\/[\w./-]+\.(ts|tsx|md)$/.test(text) || /^[A-Z]+\.md$/.test(text)
}

/** npm's own commands. */
const npmOwn = new Set(['ci', 'install', 'exec', 'version', 'pack', 'publish', 'audit', 'outdated', 'update'])

/** Every `npm run x` and `npm x` in a document must exist. `scripts` are those of all packages. */
export function checkCitedCommands(
  file: string,
  { code, fenced }: MarkdownDocument,
  scripts: ReadonlySet<string>,
): Fault[] {
  return [...code, ...fenced].flatMap(({ text, line }) =>
    [...text.matchAll(/\bnpm (run )?(?:--?[\w=/@-]+ )*([a-z][\w:-]*)/g)]
      .filter(([, run, name = '']) => !scripts.has(name) && (run !== undefined || !npmOwn.has(name)))
      .map(([command]) => ({ file, line, message: `says \`${command}\`, which no package.json has` })),
  )
}
