export interface Token {
  kind: 'word' | 'string' | 'mark'
  /** The content of a string, or the word or mark itself. */
  text: string
  line: number
}

/** After these words a slash starts a regular expression; after any other word it divides. */
const beforeExpression = new Set([
  'return',
  'typeof',
  'case',
  'of',
  'in',
  'do',
  'else',
  'void',
  'yield',
  'await',
])

const patterns = {
  blank: /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  word: /[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d[\w.]*/uy,
  string: /'((?:[^'\\\n]|\\[\s\S])*)'|"((?:[^"\\\n]|\\[\s\S])*)"/y,
  expression: /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
  templateText: /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y,
}

/**
 * Splits TypeScript into words, strings and marks; comments, regular expressions and the text of templates are
 * left out. A quote that never closes on its line is text between JSX tags, and counts as a mark.
 */
export function tokenise(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  let line = 1
  /** For each open template expression, how many braces are open inside it. */
  const templates: number[] = []

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found !== null) {
      at = pattern.lastIndex
      for (const character of found[0]) if (character === '\n') line++
    }
    return found
  }
  const push = (kind: Token['kind'], text: string, at = line) => tokens.push({ kind, text, line: at })
  /** Reads template text up to its end or to the next expression in it. */
  const takeTemplate = () => {
    take(patterns.templateText)
    if (source.startsWith('${', at)) {
      templates.push(0)
      at += 2
    } else {
      at += 1
      push('string', '')
    }
  }

  while (at < source.length) {
    if (take(patterns.blank) !== null) continue
    const startLine = line
    const word = take(patterns.word)
    if (word !== null) {
      push('word', word[0], startLine)
      continue
    }
    const string = take(patterns.string)
    if (string !== null) {
      push('string', string[1] ?? string[2] ?? '', startLine)
      continue
    }
    if (source[at] === '/' && opensExpression(tokens.at(-1)) && take(patterns.expression) !== null) {
      push('string', '', startLine)
      continue
    }
    const mark = source[at] ?? ''
    at += 1
    const depth = templates.at(-1)
    if (mark === '`') takeTemplate()
    else if (mark === '}' && depth === 0) {
      templates.pop()
      takeTemplate()
    } else {
      if (depth !== undefined && mark === '{') templates[templates.length - 1] = depth + 1
      if (depth !== undefined && mark === '}') templates[templates.length - 1] = depth - 1
      push('mark', mark)
    }
  }
  return tokens
}

function opensExpression(previous: Token | undefined): boolean {
  if (previous === undefined) return true
  if (previous.kind === 'word') return beforeExpression.has(previous.text)
  return previous.kind === 'mark' && ![')', ']', '}', '<'].includes(previous.text)
}
