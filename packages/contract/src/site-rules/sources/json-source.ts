import type { MemberPath } from '../../project-file/member-path.ts'
import type { RuleFinding } from '../findings.ts'
import type { RuleCollector } from '../rule-collector.ts'
import { readJsonLines } from './json-lines.ts'

/** A JSON file of rules whose members have lines. */
export interface JsonSource {
  readonly members: Readonly<Record<string, unknown>>
  /** Of a list; none if the member is missing. Reports a member that is not a list. */
  entriesOf(member: string): Iterable<[number, unknown]>
  placeOf(path: MemberPath): { file: string; line: number | null }
  report(level: RuleFinding['level'], path: MemberPath, message: string): void
}

const maxDepth = 20

/** Null if the file cannot be read, which is reported. */
export function readJsonSource(
  content: Uint8Array,
  file: string,
  rules: RuleCollector,
  advice: { notJson: string },
): JsonSource | null {
  const text = new TextDecoder().decode(content)
  const { depth, lineOf } = readJsonLines(text)
  const name = file.slice(1)
  const fail = (line: number | null, message: string) => {
    rules.findings.add({ file, line, level: 'error', message })
    return null
  }
  if (depth > maxDepth)
    return fail(null, `${name} is nested more than ${maxDepth} levels deep. Nothing of it is used.`)
  let members: unknown
  try {
    members = JSON.parse(text)
  } catch (error) {
    const line = Number(/\(line (\d+) /.exec((error as Error).message)?.[1] ?? Number.NaN)
    return fail(Number.isNaN(line) ? null : line, `${name} is not valid JSON. ${advice.notJson}`)
  }
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    return fail(1, `${name} has no members, such as "redirects".`)
  }
  const placeOf = ([member, entry]: MemberPath) => ({
    file,
    line: lineOf(String(member), typeof entry === 'number' ? entry : undefined),
  })
  const report: JsonSource['report'] = (level, path, message) => {
    const [member, entry] = path
    const where = typeof entry === 'number' ? `${member}[${entry}]: ` : ''
    rules.findings.add({ ...placeOf(path), level, message: `${where}${message}` })
  }
  return {
    members: members as Record<string, unknown>,
    placeOf,
    report,
    entriesOf(member) {
      const list = (members as Record<string, unknown>)[member]
      if (list === undefined) return []
      if (Array.isArray(list)) return list.entries()
      report('error', [member], `"${member}" is not a list.`)
      return []
    },
  }
}
