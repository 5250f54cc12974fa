import { decodeText } from '../../text/decode-text.ts'
import { excerpt } from '../rule-lines.ts'
import { readJsonLines } from './json-lines.ts'
import type { RuleCollector } from './rule-collector.ts'
import { RuleSource } from './rule-source.ts'

const maxDepth = 20

/** Null if the file cannot be read, which is reported. */
export function readJsonSource(
  content: Uint8Array,
  file: string,
  rules: RuleCollector,
  advice = 'Fix it: nothing of it is used.',
): RuleSource | null {
  const text = decodeText(content)
  const { depth, repeated, lineOf } = readJsonLines(text)
  const name = file.slice(1)
  const fail = (line: number | null, message: string) => {
    rules.reportUnread(file, line, message, text)
    return null
  }
  if (depth > maxDepth)
    return fail(null, `${name} is nested more than ${maxDepth} levels deep. Nothing of it is used.`)
  let members: unknown
  try {
    members = JSON.parse(text)
  } catch (error) {
    const line = Number(/\(line (\d+) /.exec((error as Error).message)?.[1] ?? Number.NaN)
    return fail(Number.isNaN(line) ? null : line, `${name} is not valid JSON. ${advice}`)
  }
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    return fail(1, `${name} has no members, such as "redirects".`)
  }
  rules.reportLostText(file, text)
  for (const one of repeated) {
    const message = `${excerpt(one.name)} is there twice. Remove one: only the last is used.`
    if (one.member === 'protect') rules.closeSite(file, one.line, message)
    else if (one.member === 'headers') rules.reportUnread(file, one.line, message, text)
    else rules.findings.add({ file, line: one.line, level: 'error', message })
  }
  return new RuleSource(file, members as Record<string, unknown>, lineOf, rules)
}
