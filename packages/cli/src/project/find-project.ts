import { randomInt } from 'node:crypto'
import type { Client } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/errors.ts'
import { paginate } from '@masthead/client/paginate.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { slugMaxLength } from '@masthead/contract/slugs.ts'
import type { WantedProject } from './choose-project.ts'

export interface FoundProject {
  project: Project
  created: boolean
}

export interface FindOptions {
  signal: AbortSignal
  productionBranch?: string | undefined
  /** What `ownProject` returned, if it was asked before. */
  known?: Promise<Project | null>
}

/**
 * The account's project of that name, created if there is none. If the name was not chosen explicitly and another
 * account has it, four characters are added. The next deploy finds the project again by its name.
 */
export async function findProject(
  client: Client,
  { name, chosen }: WantedProject,
  { signal, productionBranch, known = ownProject(client, name, signal) }: FindOptions,
): Promise<FoundProject> {
  const settings = productionBranch === undefined ? {} : { productionBranch }
  const own = await known
  if (own !== null) return { project: own, created: false }
  try {
    return {
      project: await client.createProject({ body: { slug: name, ...settings }, signal }),
      created: true,
    }
  } catch (error) {
    if (!hasCode(error, 'slug_taken')) throw error
    // Another deploy of this account may have created it meanwhile.
    const created = await ownProject(client, name, signal)
    if (created !== null) return { project: created, created: false }
    if (chosen) throw error
  }
  const base = name.slice(0, slugMaxLength - 5).replace(/-$/, '')
  for await (const project of paginate(client.listProjects, { query: { limit: 100 }, signal })) {
    if (project.name === name && new RegExp(`^${base}-[a-z0-9]{4}$`).test(project.slug)) {
      return { project, created: false }
    }
  }
  const body = { slug: `${base}-${randomSuffix()}`, name, ...settings }
  return { project: await client.createProject({ body, signal }), created: true }
}

/** Null if there is none of that name. Throws for an unknown ID, so that no project is created with an ID as its slug. */
export async function ownProject(client: Client, name: string, signal: AbortSignal): Promise<Project | null> {
  try {
    return await client.getProject({ params: { project: name }, signal })
  } catch (error) {
    if (hasCode(error, 'not_found') && !name.startsWith('prj_')) return null
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof ProblemError && error.code === code
}

function randomSuffix(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
  return Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')
}
