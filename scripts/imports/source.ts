import { type Token, tokenise } from './tokens.ts'

export interface Import {
  specifier: string
  /** `import type`, or only `type` names in the braces. */
  typeOnly: boolean
  line: number
}

/** Every module that a TypeScript source imports, re-exports, or imports dynamically by a literal name. */
export function importsOf(source: string): Import[] {
  const tokens = tokenise(source)
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word' || tokens[index - 1]?.text === '.') return []
    const found =
      token.text === 'import'
        ? importAt(tokens, index)
        : token.text === 'export'
          ? fromClause(tokens, index)
          : undefined
    return found === undefined ? [] : [found]
  })
}

function importAt(tokens: Token[], index: number): Import | undefined {
  const { line = 0 } = tokens[index] ?? {}
  const [next, afterNext] = tokens.slice(index + 1, index + 3)
  if (next?.kind === 'string') return { specifier: next.text, typeOnly: false, line }
  if (next?.text === '(') {
    if (afterNext?.kind !== 'string' || afterNext.text === '') return undefined
    return { specifier: afterNext.text, typeOnly: tokens[index - 1]?.text === 'typeof', line }
  }
  return fromClause(tokens, index)
}

/** `import … from '…'` and `export … from '…'`; undefined without a module name. */
function fromClause(tokens: Token[], index: number): Import | undefined {
  const clause: string[] = []
  for (const [offset, token] of tokens.slice(index + 1).entries()) {
    const next = tokens[index + offset + 2]
    if (token.kind === 'word' && token.text === 'from' && next?.kind === 'string' && clause.length > 0) {
      return { specifier: next.text, typeOnly: isTypeOnly(clause), line: next.line }
    }
    const belongs = token.kind === 'word' || ['{', '}', ',', '*'].includes(token.text)
    if (!belongs || (clause.at(-1) === '}' && token.text !== 'from')) return undefined
    clause.push(token.text)
  }
  return undefined
}

function isTypeOnly(clause: string[]): boolean {
  if (clause[0] === 'type' && clause.length > 1 && clause[1] !== ',') return true
  if (clause[0] !== '{') return false
  const names = clause.slice(1, -1).join(' ').split(',')
  return names.map((name) => name.trim()).every((name) => name === '' || /^type [^ ]/.test(name))
}

/** The lines that read `process.env`, including `process['env']` and imports from `node:process`. */
export function environmentReads(source: string): number[] {
  const tokens = tokenise(source)
  const reads = tokens.filter((token, index) => {
    const [second, third] = tokens.slice(index + 1, index + 3)
    if (token.text === 'process' && token.kind === 'word') {
      return (second?.text === '.' || second?.text === '[') && third?.text === 'env'
    }
    return token.kind === 'string' && token.text === 'node:process' && tokens[index - 1]?.text === 'from'
  })
  return reads.map(({ line }) => line)
}

const typeKeywords = new Set(['interface', 'type', 'class', 'enum'])

/** The types that a source declares and exports; without re-exports. */
export function exportedTypes(source: string): { name: string; line: number }[] {
  const tokens = tokenise(source)
  return tokens.flatMap((token, index) => {
    if (token.text !== 'export' || token.kind !== 'word') return []
    const after = tokens.slice(index + 1, index + 4)
    const keyword = after.findIndex(({ text }) => !['declare', 'abstract', 'const'].includes(text))
    const name = after[keyword + 1]
    if (!typeKeywords.has(after[keyword]?.text ?? '') || name?.kind !== 'word') return []
    return [{ name: name.text, line: name.line }]
  })
}
