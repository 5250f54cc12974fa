import { readFile, writeFile } from 'node:fs/promises'
import { type ProjectFile, pathOf } from './project-file.ts'

/** What `masthead init` decides. */
export interface Tie {
  project: string
  folder: string
  /** Left out for the one on this machine. */
  server: string | undefined
}

/** Writes it into the file; what else stands there, comments of YAML included, stays. */
export async function writeProjectFile(
  file: Pick<ProjectFile, 'directory' | 'fileName'>,
  tie: Tie,
): Promise<void> {
  const path = pathOf(file)
  const text = await readFile(path, 'utf8').catch(() => '{}')
  await writeFile(path, file.fileName.endsWith('.json') ? inJson(text, tie) : await inYaml(text, tie))
}

function inJson(text: string, tie: Tie): string {
  return `${JSON.stringify({ ...JSON.parse(text), ...tie }, null, 2)}\n`
}

async function inYaml(text: string, tie: Tie): Promise<string> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text)
  for (const [name, value] of Object.entries(tie)) {
    if (value === undefined) document.delete(name)
    else document.set(name, value)
  }
  return document.toString()
}
