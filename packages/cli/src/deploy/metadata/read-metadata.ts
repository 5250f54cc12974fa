import { readFile, stat } from 'node:fs/promises'
import { metaMaxLength } from '@masthead/contract/deployments.ts'
import type { MetaInput } from '@masthead/contract/schemas/deployment-meta.ts'
import type { Options } from '../../arguments/command.ts'
import { usageError } from '../../errors/command-error.ts'
import { cleanFacts } from './clean-facts.ts'
import { readGit } from './git.ts'
import { type ActionsEvent, type Facts, pipelines } from './pipelines.ts'

/** An empty value removes what git and the pipeline say. */
const text = { type: 'string', mayBeEmpty: true } as const

/** Options of `deploy` that replace what git and the pipeline say. */
export const metadataOptions = {
  message: { ...text, short: 'm', value: 'TEXT', help: 'what changed, instead of the commit message' },
  branch: { ...text, value: 'NAME', help: 'branch it is built from' },
  commit: { ...text, value: 'ID', help: 'commit it is built from' },
  repository: { ...text, value: 'NAME', help: 'repository, by name or address' },
  author: { ...text, value: 'NAME', help: 'who made the change' },
  url: { ...text, value: 'URL', help: 'link to the commit, pull request or pipeline' },
  'pull-request': { ...text, value: 'NUMBER', help: 'number of the pull request' },
  'no-git': { type: 'boolean', help: 'take nothing from git and from variables of the pipeline' },
} as const satisfies Options

export type MetadataValues = { readonly [K in keyof typeof metadataOptions]?: string | boolean | undefined }

export interface Metadata {
  meta: MetaInput
  /** The branch that a new project publishes from. */
  productionBranch?: string
  /** Also if its number is unknown. */
  isPullRequest: boolean
  /** Whether the branch stands for a tag. */
  isTag: boolean
}

/** Options first, then the pipeline, then git. */
export async function readMetadata(
  folder: string,
  env: NodeJS.ProcessEnv,
  values: MetadataValues,
): Promise<Metadata> {
  const { 'no-git': nothing, 'pull-request': pullRequest, ...texts } = values
  const given = { ...pickTexts(texts), ...(typeof pullRequest === 'string' && { pullRequest }) }
  const facts = nothing === true ? {} : await findFacts(folder, env)
  const meta = { ...cleanFacts(facts), ...given }
  const isTag = Boolean(facts.tag) && !facts.branch && given.branch === undefined
  const own = isTag ? undefined : meta.branch
  const productionBranch = cleanFacts({ branch: facts.defaultBranch || own || undefined }).branch
  const isPullRequest = Boolean(given.pullRequest ?? facts.pullRequest)
  return { meta, isPullRequest, isTag, ...(productionBranch !== undefined && { productionBranch }) }
}

async function findFacts(folder: string, env: NodeJS.ProcessEnv): Promise<Facts> {
  const pipeline = pipelines.find(({ isRunning }) => isRunning(env))
  const [git, event] = await Promise.all([readGit(folder, env), readEvent(env.GITHUB_EVENT_PATH)])
  if (pipeline === undefined) return git
  const found = Object.entries(pipeline.facts(env, event)).filter(
    ([, value]) => typeof value === 'string' && value !== '',
  )
  // The pipeline alone knows the branch: it builds tags and merge commits, and often checks out no branch at all.
  return { ...git, branch: undefined, ...Object.fromEntries(found) }
}

const maxEventBytes = 4 * 1024 ** 2

async function readEvent(path: string | undefined): Promise<ActionsEvent> {
  if (path === undefined) return {}
  try {
    if ((await stat(path)).size > maxEventBytes) return {}
    const event: unknown = JSON.parse(await readFile(path, 'utf8'))
    return typeof event === 'object' && event !== null ? event : {}
  } catch {
    return {}
  }
}

function pickTexts(texts: MetadataValues): MetaInput {
  const picked: Record<string, string> = {}
  for (const field of Object.keys(metaMaxLength) as (keyof typeof metaMaxLength)[]) {
    const value = texts[field]
    if (typeof value !== 'string') continue
    if (value.length > metaMaxLength[field]) {
      throw usageError(`--${field} is too long.`, `Use at most ${metaMaxLength[field]} characters.`)
    }
    picked[field] = value
  }
  return picked
}

/**
 * Whether it goes live unless the person says otherwise. Pull requests never do: their branch may be of a fork. The
 * first deployment of a new project, which has no production branch yet, does from any branch.
 */
export function goesLive({ branch, pullRequest }: MetaInput, productionBranch: string | undefined): boolean {
  return !pullRequest && (!branch || productionBranch === undefined || branch === productionBranch)
}
