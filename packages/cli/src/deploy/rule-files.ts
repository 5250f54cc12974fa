import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { projectFileNames } from '@masthead/contract/deployments.ts'
import { type RuleFile, sizeExcess } from '@masthead/contract/site-rules/rules.ts'
import { decodeText } from '@masthead/contract/text/decode-text.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors/command-error.ts'
import type { FoundFile } from './list-files.ts'

/** Rules that are sent along although they are not in the published folder. */
export interface SentRules {
  path: RuleFile
  /** How the person knows the file. */
  name: string
  content: Buffer<ArrayBuffer>
}

export function isProjectFile(path: string): boolean {
  return (projectFileNames as readonly string[]).includes(path.slice(1))
}

/** Files of other platforms, which are usually beside the published folder. */
const besideFolder = ['/netlify.toml', '/vercel.json'] as const

/** The rules of the project file, and of the files of other platforms beside it that the folder does not have itself. */
export async function rulesToSend(
  { projectFile, cwd }: Pick<CommandContext, 'projectFile' | 'cwd'>,
  found: readonly FoundFile[],
): Promise<SentRules[]> {
  const sent: SentRules[] = []
  const home = projectFile?.directory ?? cwd
  if (projectFile !== null) {
    const { members, lineOf, fileName, name } = projectFile
    // Loaded on demand, because schemas and parsers take long to load.
    const { ruleMembers } = await import('@masthead/contract/site-rules/sources/rule-members.ts')
    const given = Object.entries(members).filter(([member]) => Object.hasOwn(ruleMembers, member))
    if (given.length > 0) {
      const { writeOnLines } = await import('@masthead/contract/site-rules/sources/json-lines.ts')
      const content = Buffer.from(writeOnLines(Object.fromEntries(given), lineOf))
      sent.push({ path: `/${fileName}` as RuleFile, name, content })
    }
  }
  for (const path of besideFolder) {
    if (found.some((file) => file.path === path)) continue
    const location = join(home, path)
    const content = await readFile(location).catch(() => null)
    if (content === null) continue
    const name = relative(cwd, location)
    const excess = sizeExcess(path, content.length)
    if (excess !== null) throw cannotSend(name, excess)
    const { rulesOnly } = await import('@masthead/contract/site-rules/sources/sent-rules.ts')
    const rules = rulesOnly(path, decodeText(content))
    if (rules === null) throw cannotSend(name, `${name} cannot be read.`)
    sent.push({ path, name, content: Buffer.from(rules) })
  }
  return sent
}

function cannotSend(name: string, problem: string): CommandError {
  return new CommandError('rules_invalid', problem, `Fix ${name}, or publish without its rules: --no-rules.`)
}

/** As files of the deployment. */
export function withRules(found: readonly FoundFile[], sent: readonly SentRules[]): FoundFile[] {
  const files = found.filter(({ path }) => !isProjectFile(path))
  for (const { path, content } of sent) {
    // Never found in the cache of digests: its times say nothing about what is sent.
    const stats = { mtimeMs: 0, ctimeMs: 0, ino: 0 }
    files.push({ path, location: `rules of ${path}`, size: content.length, stats, content })
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}
