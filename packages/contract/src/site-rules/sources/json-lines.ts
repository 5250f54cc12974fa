export interface JsonLines {
  /** The line of a member of the document, or of an entry of its list. */
  lineOf(member: string, entry?: number): number | null
  /** How deep objects and lists are nested. */
  depth: number
  /** Names that an object has twice, of which `JSON.parse` drops the first. `member` is the one of the document around it. */
  repeated: readonly { member: string; name: string; line: number }[]
}

/** More members and entries than any file has that can be used. */
const maxLines = 25_000
const maxRepeated = 20

const [quote, backslash, newline, comma] = ['"', '\\', '\n', ','].map((one) => one.charCodeAt(0))

/** Finds the lines of a JSON object, in one pass. `JSON.parse` does not tell positions. */
export function readJsonLines(text: string): JsonLines {
  const lines = new Map<string, number>()
  let [line, level, depth, entry] = [1, 0, 0, 0]
  let member = ''
  let isEntryNext = false
  let isList = false
  const repeated: { member: string; name: string; line: number }[] = []
  /** Of the objects around this place; null for a list. */
  const around: (Set<string> | null)[] = []
  const note = (key: string) => {
    if (lines.size < maxLines) lines.set(key, line)
  }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === newline) line++
    if (code <= 0x20) continue
    if (isEntryNext && level === 2 && text[at] !== ']') {
      note(`${member}/${entry++}`)
      isEntryNext = false
    }
    if (code === quote) {
      const start = at
      for (at++; at < text.length && text.charCodeAt(at) !== quote; at++) {
        if (text.charCodeAt(at) === backslash) at++
      }
      const known = around.at(-1) ?? null
      if (known !== null && isKey(text, at + 1)) {
        const name = decode(text.slice(start, at + 1))
        if (level === 1) {
          member = name
          note(member)
        }
        if (known.has(name) && repeated.length < maxRepeated) repeated.push({ member, name, line })
        known.add(name)
      }
    } else if (code === comma) isEntryNext = level === 2 && isList
    else if (text[at] === '{' || text[at] === '[') {
      if (level === 1) {
        entry = 0
        isEntryNext = text[at] === '['
        isList = isEntryNext
      }
      depth = Math.max(depth, ++level)
      around.push(text[at] === '{' ? new Set() : null)
    } else if (text[at] === '}' || text[at] === ']') {
      level--
      around.pop()
    }
  }
  return {
    depth,
    repeated,
    lineOf: (name, at) => lines.get(at === undefined ? name : `${name}/${at}`) ?? lines.get(name) ?? null,
  }
}

function isKey(text: string, from: number): boolean {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return text[at] === ':'
}

function decode(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}

/** Writes the members as JSON, each of them and each entry of a list on the line that it has elsewhere. */
export function writeOnLines(
  members: Readonly<Record<string, unknown>>,
  lineOf: (path: readonly (string | number)[]) => number | null,
): string {
  let text = '{'
  let line = 1
  const goTo = (wanted: number | null) => {
    const more = Math.max(0, (wanted ?? line) - line)
    text += '\n'.repeat(more)
    line += more
  }
  const ordered = Object.entries(members).sort(([a], [b]) => (lineOf([a]) ?? 0) - (lineOf([b]) ?? 0))
  for (const [at, [name, value]] of ordered.entries()) {
    if (at > 0) text += ','
    goTo(lineOf([name]))
    text += `${JSON.stringify(name)}:`
    if (!Array.isArray(value)) text += JSON.stringify(value)
    else {
      text += '['
      for (const [index, entry] of value.entries()) {
        if (index > 0) text += ','
        goTo(lineOf([name, index]))
        text += JSON.stringify(entry)
      }
      text += ']'
    }
  }
  return `${text}}\n`
}
