import type { Project } from '@masthead/contract/schemas/project.ts'

/** The name under the platform domain that every project has, without scheme and port. */
export function defaultSubdomain({ url }: Pick<Project, 'url'>): string {
  return new URL(url).hostname
}
