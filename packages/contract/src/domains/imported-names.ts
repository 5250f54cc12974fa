import { parse as parseToml } from 'smol-toml'

interface Entry {
  text: string
  /** From 1; null if the file is not a list. */
  line: number | null
}

export interface ImportedNames {
  names: string[]
  /** What cannot be a domain, because it has no dot. */
  leftOut: Entry[]
}

type Reader = (text: string) => string[]

const readers: Readonly<Record<string, Reader>> = {
  'netlify.toml': readNetlify,
  'vercel.json': readVercel,
}

/**
 * The hostnames in a file of another platform, by the name of the file; otherwise it is a `CNAME` file or a list with one
 * name on each line. Throws if the file breaks its syntax.
 */
export function importedNames(file: string, text: string): ImportedNames {
  const content = text.replace(/^\ufeff/, '')
  const read = Object.hasOwn(readers, file) ? readers[file] : undefined
  const entries =
    read === undefined ? readList(content) : read(content).map((name) => ({ text: name, line: null }))
  const written = entries.filter((entry) => entry.text.trim() !== '')
  const isName = (entry: Entry) => normalize(entry.text).includes('.')
  return {
    names: [...new Set(written.filter(isName).map((entry) => normalize(entry.text)))],
    leftOut: written.filter((entry) => !isName(entry)).map(({ text, line }) => ({ text: text.trim(), line })),
  }
}

/** One name on each line, as in the `CNAME` file of GitHub Pages. `#` starts a comment. */
function readList(text: string): Entry[] {
  return text.split(/\r\n|\r|\n/).flatMap((content, index) =>
    content
      .replace(/[#;].*$/, '')
      .split(',')
      .map((name) => ({ text: name, line: index + 1 })),
  )
}

/** Netlify keeps domains in its dashboard. The file has those that redirects are for. */
function readNetlify(text: string): string[] {
  const { redirects } = parseToml(text)
  const from = listOf(redirects).map((redirect) => memberOf(redirect, 'from'))
  return from.flatMap((url) => (typeof url === 'string' ? hostIn(url) : []))
}

/** `alias`, and the hosts that redirects and headers are for. */
function readVercel(text: string): string[] {
  const config: unknown = JSON.parse(text)
  const alias = memberOf(config, 'alias')
  const names = typeof alias === 'string' ? [alias] : listOf(alias).filter((name) => typeof name === 'string')
  const rules = ['redirects', 'rewrites', 'headers'].flatMap((kind) => listOf(memberOf(config, kind)))
  const hosts = rules
    .flatMap((rule) => listOf(memberOf(rule, 'has')))
    .filter((condition) => memberOf(condition, 'type') === 'host')
    .map((condition) => memberOf(condition, 'value'))
    // A pattern is no name.
    .filter((value) => typeof value === 'string' && /^[\p{L}\p{N}.-]+$/u.test(value))
  return [...names, ...hosts] as string[]
}

function hostIn(url: string): string[] {
  const [, host] = /^(?:https?:)?\/\/((?:\*\.)?[^/:?#*]+)/i.exec(url) ?? []
  return host === undefined ? [] : [host]
}

function normalize(name: string): string {
  return name
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
