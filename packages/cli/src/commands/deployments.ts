import { listAll } from '@masthead/client/paginate.ts'
import { deploymentSource } from '@masthead/contract/deployments.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { type CommandResult, command } from '../arguments/command.ts'
import type { CommandContext } from '../context.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import { namedProject, projectFlag } from '../project/choose-project.ts'
import { parseDeploymentId } from '../project/deployment-id.ts'
import { confirm } from '../terminal/ask.ts'
import { deploymentName } from '../terminal/deployment-name.ts'
import { formatCount, timeAgo } from '../terminal/format.ts'
import { alignColumns, sanitize } from '../terminal/layout.ts'

const maxSource = 40

export const deployments = command({
  name: 'deployments',
  summary: 'List deployments, newest first, and delete them',
  usage: ['deployments [project]', 'deployments delete DEPLOYMENT'],
  about: ['delete removes one that is not live, or cancels an upload.'],
  options: {},
  examples: [
    ['masthead deployments', 'of the project in masthead.json'],
    ['masthead deployments my-site', 'of another'],
    ['masthead deployments delete dpl_06d8f2k4m9q1s7x3b5n0', 'delete one'],
  ],
  words: 2,
  async run(context, values, [word, id]) {
    if (word === 'delete') {
      const project = namedProject(context, values.project)
      return remove(context, project, parseDeploymentId(id, projectFlag(values.project)))
    }
    if (id !== undefined)
      throw usageError(`Unexpected argument "${id}".`, 'See `masthead deployments --help`.')
    return list(context, namedProject(context, word, values.project), projectFlag(word ?? values.project))
  },
})

async function list(context: CommandContext, project: string, also: string): Promise<CommandResult> {
  const { out, signal } = context
  const client = await context.signedIn()
  const listing = { params: { project }, query: { limit: 100 }, signal }
  const found = await listAll(client.listDeployments, listing)
  if (found.length === 0) out.note(`Nothing published yet. Publish with \`masthead deploy${also}\`.`)
  const now = Date.now()
  const rows = found.map((deployment) => {
    const { id, active, state, files, bytes, createdAt, url } = deployment
    return [
      deploymentName(deployment),
      active ? out.style('green', 'live') : state,
      sanitize(deploymentSource(deployment.meta), maxSource),
      timeAgo(createdAt, now),
      formatCount(files, 'file'),
      formatBytes(bytes),
      out.style('dim', id),
      out.style('dim', url),
    ]
  })
  return { document: found, text: alignColumns(rows).join('\n') }
}

async function remove(
  context: CommandContext,
  project: string,
  deployment: Id<'deployment'>,
): Promise<CommandResult> {
  const client = await context.signedIn()
  const question = `Delete ${deployment}? Its preview stops working, and you can no longer roll back to it.`
  if (!(await confirm(question, context))) throw new CommandError('kept', 'It was not deleted.', '')
  await client.deleteDeployment({ params: { project, deployment }, signal: context.signal })
  context.out.note(`Deleted ${deployment}.`)
  return { document: { deleted: deployment }, text: '' }
}
