import { z } from 'zod'
import { metaMaxLength } from '../deployments.ts'
import { controlCharacters } from '../text/control-characters.ts'
import { lineOfText } from './fields.ts'

const lines = new RegExp(`^(?:[^${controlCharacters}]|[\\t\\n\\r])*$`, 'u')
const oneWord = new RegExp(`^[^\\s${controlCharacters}]*$`, 'u')

const word = (max: number) =>
  z.string().trim().max(max).regex(oneWord, 'must not contain spaces or control characters')

/** Whether it is an address that people can open: http or https, and no password in it. */
function isWebAddress(value: string): boolean {
  if (!/^https?:\/\//i.test(value)) return false
  const url = URL.parse(value)
  return url !== null && url.username === '' && url.password === ''
}

const isEmptyOrWebAddress = (value: string) => value === '' || isWebAddress(value)
const isRepository = (value: string) => isWebAddress(value) || !/[:@\\]/.test(value)

const branchName = word(metaMaxLength.branch)

/** Of a project setting: a branch that has a name. */
export const productionBranch = branchName.min(1)

/** Empty values count as missing, because pipelines pass variables that may be unset. */
const fields = {
  message: z
    .string()
    .trim()
    .max(metaMaxLength.message)
    .regex(lines, 'must not contain control characters other than line breaks')
    .meta({ description: 'What changed, such as the commit message' }),
  commit: z
    .string()
    .trim()
    .max(metaMaxLength.commit)
    .regex(/^(?:[0-9A-Za-z][0-9A-Za-z._-]*)?$/, 'must only contain letters, digits, dots and hyphens')
    .meta({ description: 'Id of the commit', examples: ['8f14e45fceea167a5a36dedd4bea2543c1c1a3f0'] }),
  branch: branchName.meta({
    description:
      'Branch it was built from. Only the production branch goes live without `activate=true`; every branch has an address of its own',
    examples: ['feature/login'],
  }),
  repository: word(metaMaxLength.repository)
    .refine(isRepository, 'must be a name such as acme/site, or an http or https address without a password')
    .meta({ description: 'Repository, by name or address', examples: ['acme/site'] }),
  author: lineOfText(metaMaxLength.author).meta({ description: 'Who made the change' }),
  url: word(metaMaxLength.url)
    .refine(isEmptyOrWebAddress, 'must be an http or https address without a password')
    .meta({ description: 'Link to the commit, the pull request or the pipeline' }),
  pullRequest: z
    .union([
      z.number().int().min(1).max(2_147_483_647),
      z.string().regex(/^[0-9]{0,9}$/, 'must be a whole number'),
    ])
    .meta({ description: 'Number of the pull or merge request', examples: [12] }),
}

export const metaInput = z.strictObject(fields).partial()

/** As stored and answered: only what is known. */
export const deploymentMeta = z
  .object({
    message: z.string(),
    commit: z.string(),
    branch: z.string(),
    repository: z.string(),
    author: z.string(),
    url: z.string(),
    pullRequest: z.number().int(),
  })
  .partial()
  .meta({ id: 'DeploymentMeta' })

export type MetaInput = z.infer<typeof metaInput>
export type DeploymentMeta = z.infer<typeof deploymentMeta>

/** Without empty values, and with the pull request as a number. */
export function toMeta({ pullRequest, ...texts }: MetaInput): DeploymentMeta {
  const known = Object.entries(texts).filter(([, value]) => value !== undefined && value !== '')
  const number = Number(pullRequest ?? 0)
  return { ...Object.fromEntries(known), ...(number > 0 && { pullRequest: number }) }
}
