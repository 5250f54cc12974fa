import type { Client } from '@masthead/client/client.ts'
import { listAll, paginate } from '@masthead/client/paginate.ts'
import { deploymentTitle, maxListedFiles } from '@masthead/contract/deployments.ts'
import { events } from '@masthead/contract/events.ts'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { formatLocation } from '@masthead/contract/site-rules/findings.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { type CommandResult, command } from '../arguments/command.ts'
import type { CommandContext } from '../context.ts'
import { namedProject, projectFlag } from '../project/choose-project.ts'
import { parseDeploymentId } from '../project/deployment-id.ts'
import { deploymentName } from '../terminal/deployment-name.ts'
import { clockTime, formatCount } from '../terminal/format.ts'
import { alignColumns, sanitize } from '../terminal/layout.ts'

export const logs = command({
  name: 'logs',
  summary: 'Show what happened to a project or a deployment',
  usage: ['logs', 'logs DEPLOYMENT [--files]'],
  about: [
    'Without a deployment: the latest activity of the project, newest first. With one: who published it and when,\nwhat was left out, and every line of _redirects and _headers that cannot be used.',
  ],
  options: { files: { type: 'boolean', help: 'also list the files of the deployment' } },
  examples: [
    ['masthead logs', 'the activity of the project in masthead.json'],
    ['masthead logs dpl_06d8f2k4m9q1s7x3b5n0', 'of one deployment'],
  ],
  words: 1,
  async run(context, values, [word]) {
    const project = namedProject(context, values.project)
    if (word === undefined) return projectLog(context, project)
    const deployment = parseDeploymentId(word, projectFlag(values.project))
    return deploymentLog(context, project, deployment, values.files === true)
  },
})

async function projectLog(context: CommandContext, project: string): Promise<CommandResult> {
  const { signal, out } = context
  const client = await context.signedIn()
  const { items } = await client.listEvents({ query: { project, limit: 50 }, signal })
  if (items.length === 0) out.note('Nothing has happened yet.')
  return { document: items, text: eventLines(items, (id) => out.style('dim', id)).join('\n') }
}

async function deploymentLog(
  context: CommandContext,
  project: string,
  deployment: Id<'deployment'>,
  withFiles: boolean,
): Promise<CommandResult> {
  const { signal, out } = context
  const client = await context.signedIn()
  const params = { project, deployment }
  const found = await client.getDeployment({ params, signal })
  const own = await eventsOf(client, project, found, signal)
  const files = withFiles
    ? await listAll(client.listFiles, { params, query: { limit: maxListedFiles }, signal })
    : []
  const lines = [
    ...factsOf(found),
    ...found.diagnostics.map((one) => sanitize(`${formatLocation(one)}: ${one.message}`, 500)),
    ...eventLines(own, (id) => out.style('dim', id)),
    ...alignColumns(files.map(({ path, size }) => [sanitize(path, 500), formatBytes(size)])),
  ]
  const document = { ...found, events: own, ...(withFiles ? { contents: files } : {}) }
  return { document, text: lines.join('\n') }
}

/** Newest first. It may have gone live long after it was published, so all are read back to its creation. */
async function eventsOf(
  client: Client,
  project: string,
  { id, createdAt }: Pick<Deployment, 'id' | 'createdAt'>,
  signal: AbortSignal,
): Promise<AccountEvent[]> {
  const query = { project, kind: 'deployment', limit: 100 } as const
  const own: AccountEvent[] = []
  for await (const event of paginate(client.listEvents, { query, signal })) {
    if (event.at < createdAt) break
    if (event.data.deploymentId === id) own.push(event)
  }
  return own
}

function factsOf(deployment: Deployment): string[] {
  const { state, active, url, files, bytes, createdBy, createdAt, leftOut } = deployment
  return alignColumns([
    ['Deployment', deploymentName(deployment)],
    ['Status', active ? 'live' : state],
    ['Preview', url],
    ['Published', `${clockTime(createdAt, Date.now())} by ${sanitize(createdBy)}`],
    ['Files', `${formatCount(files, 'file')}, ${formatBytes(bytes)}`],
    ...(leftOut.files > 0 ? [['Left out', sanitize(leftOut.paths.join(', '), 500)]] : []),
  ])
}

/** What an event is about. A deployment is known by what changed. */
function subjectOf({ hostname, message, branch, commit }: AccountEvent['data']): string {
  const known = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const meta = { message: known(message), branch: known(branch), commit: known(commit) }
  return known(hostname) ?? deploymentTitle(meta) ?? ''
}

function eventLines(items: readonly AccountEvent[], style: (id: string) => string): string[] {
  const now = Date.now()
  return alignColumns(
    items.map(({ at, type, actor, data }) => [
      clockTime(at, now),
      // A newer server may have others.
      Object.hasOwn(events, type) ? events[type] : type,
      sanitize(actor.kind === 'operator' && actor.id !== null ? `${actor.name} (operator)` : actor.name),
      sanitize(subjectOf(data), 60),
      typeof data.deploymentId === 'string' ? style(sanitize(data.deploymentId)) : '',
    ]),
  )
}
