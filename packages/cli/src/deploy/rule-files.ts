import { projectFileNames } from '@masthead/contract/deployments.ts'
import type { RuleFile } from '@masthead/contract/site-rules/rules.ts'
import type { CommandContext } from '../context.ts'
import type { FoundFile } from './list-files.ts'

/** Rules that are sent along although they are not in the published folder. */
export interface SentRules {
  path: RuleFile
  /** How the person knows the file. */
  name: string
  content: Buffer<ArrayBuffer>
}

/** Also what of the project file is never sent: it is for this command. */
export function isProjectFile(path: string): boolean {
  return (projectFileNames as readonly string[]).includes(path.slice(1))
}

/** The rules of the project file. */
export async function rulesToSend({
  projectFile,
}: Pick<CommandContext, 'projectFile'>): Promise<SentRules[]> {
  if (projectFile === null) return []
  const { members, lineOf, fileName, name } = projectFile
  // Loaded on demand, because the schema takes long to load.
  const { ruleMembers } = await import('@masthead/contract/site-rules/sources/rule-members.ts')
  const given = Object.entries(members).filter(([member]) => member in ruleMembers)
  if (given.length === 0) return []
  const { writeOnLines } = await import('@masthead/contract/site-rules/sources/json-lines.ts')
  const content = Buffer.from(writeOnLines(Object.fromEntries(given), lineOf))
  return [{ path: `/${fileName}` as RuleFile, name, content }]
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
