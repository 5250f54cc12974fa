import { join, resolve } from 'node:path'
import type { ProjectFileMembers } from '@masthead/contract/project-file.ts'

/** masthead.json or masthead.yaml: which project a folder belongs to, and what is served where. */
export interface ProjectFile {
  directory: string
  /** Of the file itself, such as `masthead.yaml`. */
  fileName: string
  /** As the person would write it from where they are. */
  name: string
  members: ProjectFileMembers
  /** The line of a member, or of the nearest that holds it, such as `domains.redirects.0.to`. */
  lineOf(path: MemberPath): number
}

export type MemberPath = readonly (string | number)[]

export const pathOf = ({ directory, fileName }: Pick<ProjectFile, 'directory' | 'fileName'>): string =>
  join(directory, fileName)

/** The folder that the file in `directory` names. */
export function namedFolder(directory: string, file: ProjectFile | null): string {
  return resolve(directory, file?.members.folder ?? '.')
}
