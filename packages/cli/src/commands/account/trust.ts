import { listAll } from '@masthead/client/paginate.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { TrustedPublisher } from '@masthead/contract/schemas/key.ts'
import {
  type PresetName,
  type PublisherPreset,
  presetClaims,
  presetNames,
  publisherPresets,
} from '@masthead/contract/trust/trusted-publishers.ts'
import { type CommandResult, command, type Options } from '../../arguments/command.ts'
import { type RunVerb, runVerb } from '../../arguments/verbs.ts'
import type { CommandContext } from '../../context.ts'
import { CommandError, usageError } from '../../errors/command-error.ts'
import { namedProject } from '../../project/choose-project.ts'
import { confirm } from '../../terminal/ask.ts'
import { timeAgo } from '../../terminal/format.ts'
import { alignColumns } from '../../terminal/layout.ts'

const options = {
  repository: { type: 'string', value: 'NAME', help: 'the repository, such as acme/website' },
  branch: {
    type: 'string',
    value: 'NAME',
    help: 'only this branch (default: every branch publishes previews)',
  },
  environment: { type: 'string', value: 'NAME', help: 'only jobs of this environment' },
  issuer: { type: 'string', value: 'URL', help: 'the issuer of your own GitLab or Forgejo server' },
  claim: {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    help: 'another claim that the token must have; can be repeated',
  },
} as const satisfies Options

interface TrustValues {
  readonly project?: string
  readonly repository?: string
  readonly branch?: string
  readonly environment?: string
  readonly issuer?: string
  readonly claim?: string[]
}

const verbs: Record<string, RunVerb<TrustValues>> = {
  list: { takes: [], run: list },
  add: { takes: ['PROVIDER'], options: Object.keys(options), run: add },
  remove: { takes: ['ID'], run: remove },
}

export const trust = command({
  name: 'trust',
  summary: 'Let pipelines deploy without a stored key',
  usage: [
    'trust',
    'trust add PROVIDER --repository NAME [--branch NAME] [--environment NAME]',
    'trust remove ID',
  ],
  about: [
    `PROVIDER is ${presetNames.join(', ')} or the address of another issuer. A pipeline that matches gets a key\nfor ten minutes that can only deploy to the project; \`masthead deploy\` does that automatically.`,
  ],
  options,
  examples: [
    ['masthead trust', 'pipelines that can deploy'],
    ['masthead trust add github --repository acme/website --branch main', 'trust one branch'],
    ['masthead trust add https://issuer.example --claim sub=website', 'any other issuer'],
  ],
  words: 2,
  run: (context, values, words) => runVerb({ command: 'trust', options, verbs }, context, values, words),
})

async function list(context: CommandContext): Promise<CommandResult> {
  const { out, signal } = context
  const client = await context.signedIn()
  const found = await listAll(client.listTrustedPublishers, { query: { limit: 100 }, signal })
  if (found.length === 0) out.note('No pipeline is trusted yet. Add one with `masthead trust add github`.')
  const now = Date.now()
  const rows = found.map((publisher) => [
    publisher.id,
    out.style('bold', publisher.project.slug),
    publisher.issuer,
    claimsText(publisher),
    publisher.lastUsedAt ? `used ${timeAgo(publisher.lastUsedAt, now)}` : 'never used',
  ])
  return { document: found, text: alignColumns(rows).join('\n') }
}

function claimsText({ claims }: Pick<TrustedPublisher, 'claims'>): string {
  return Object.entries(claims)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

async function add(
  context: CommandContext,
  [provider = '']: readonly string[],
  values: TrustValues,
): Promise<CommandResult> {
  const body = { ...readTrust(provider, values), project: namedProject(context, values.project) }
  const client = await context.signedIn()
  const added = await client.addTrustedPublisher({ body, signal: context.signal })
  context.out.note(
    `Trusted ${added.issuer} with ${claimsText(added)} to deploy to ${added.project.slug}. Tokens must be for ${added.audience}.`,
  )
  return { document: added, text: added.id }
}

function readTrust(
  provider: string,
  values: TrustValues,
): { issuer: string; claims: Record<string, string> } {
  const claims = Object.fromEntries((values.claim ?? []).map(readClaim))
  if (/^https?:\/\//.test(provider)) return { issuer: provider, claims }
  const name = presetNames.find((known) => known === provider)
  if (name === undefined) {
    throw usageError(
      `There is no provider "${provider}".`,
      `Use ${presetNames.join(', ')} or the address of an issuer.`,
    )
  }
  const { issuer: usual, issuerExample, repository: field }: PublisherPreset = publisherPresets[name]
  const issuer = values.issuer ?? usual
  if (issuer === null) {
    throw usageError('The address of your server is missing.', `Add --issuer, such as ${issuerExample}.`)
  }
  return { issuer, claims: { ...claimsOf(name, field.example, values), ...claims } }
}

function claimsOf(name: PresetName, example: string, values: TrustValues): Record<string, string> {
  const { repository, branch, environment } = values
  if (repository === undefined)
    throw usageError('The repository is missing.', `Add --repository, such as ${example}.`)
  const { title, environment: claim }: PublisherPreset = publisherPresets[name]
  if (environment !== undefined && claim === null)
    throw usageError(`Tokens of ${title} name no environment.`, 'Leave out --environment, or use --branch.')
  return presetClaims(name, {
    repository,
    ...(branch === undefined ? {} : { branch }),
    ...(environment === undefined ? {} : { environment }),
  })
}

function readClaim(text: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw usageError(`"${text}" is not a claim.`, 'Use --claim NAME=VALUE.')
}

async function remove(context: CommandContext, [id = '']: readonly string[]): Promise<CommandResult> {
  if (!/^pub_[a-z0-9]+$/.test(id)) {
    throw usageError(`"${id}" is not the ID of a trusted pipeline.`, 'Run `masthead trust` to list the IDs.')
  }
  const client = await context.signedIn()
  const question = `Stop trusting ${id}? Its pipeline can no longer deploy.`
  if (!(await confirm(question, context)))
    throw new CommandError('kept', 'The pipeline is still trusted.', '')
  const publisher = id as Id<'publisher'>
  await client.removeTrustedPublisher({ params: { publisher }, signal: context.signal })
  context.out.note(`Removed ${id}.`)
  return { document: { removed: id }, text: '' }
}
