import type { Project } from '@masthead/contract/schemas/project.ts'

export type Serving = Pick<Project, 'htmlHandling' | 'singlePage' | 'strictTransportSecurity'>

/** The settings that say how a project is served. */
export function servingOf({ htmlHandling, singlePage, strictTransportSecurity }: Serving): Serving {
  return { htmlHandling, singlePage, strictTransportSecurity }
}
