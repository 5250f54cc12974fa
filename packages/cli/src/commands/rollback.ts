import { paginate } from '@masthead/client/paginate.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { command } from '../arguments/command.ts'
import { goesLive } from '../deploy/metadata/read-metadata.ts'
import { CommandError } from '../errors/command-error.ts'
import { namedProject, projectFlag } from '../project/choose-project.ts'
import { parseDeploymentId } from '../project/deployment-id.ts'
import { deploymentName } from '../terminal/deployment-name.ts'

/**
 * The newest ready deployment that is older than the active one and is not only a preview of a branch. Expects
 * them newest first.
 */
async function chooseRollback(
  deployments: AsyncIterable<Deployment>,
  productionBranch: string,
  /** Appended to suggested commands. */
  also: string,
): Promise<{ deployment: Deployment['id']; replaces: Deployment['id'] }> {
  let live: Deployment | null = null
  for await (const deployment of deployments) {
    const { state, meta, activatedAt } = deployment
    const isForProduction = activatedAt !== null || goesLive(meta, productionBranch)
    if (live !== null && state === 'ready' && isForProduction) {
      return { deployment: deployment.id, replaces: live.id }
    }
    if (deployment.active) live = deployment
  }
  if (live === null) {
    throw new CommandError(
      'nothing_active',
      'Nothing is published yet.',
      `Publish with \`masthead deploy${also}\`.`,
    )
  }
  throw new CommandError(
    'nothing_older',
    'There is no older deployment to go back to.',
    `Choose one from \`masthead deployments${also}\`: \`masthead rollback dpl_…${also}\`.`,
  )
}

export const rollback = command({
  name: 'rollback',
  summary: 'Go back to an earlier deployment',
  usage: ['rollback [deployment]'],
  about: [
    'Without a deployment, it goes back to the newest one older than the live one. Nothing is deleted.',
  ],
  options: {},
  examples: [
    ['masthead rollback', 'go back one step'],
    ['masthead rollback dpl_06d8f2k4m9q1s7x3b5n0', 'serve this deployment'],
  ],
  words: 1,
  async run(context, values, [word]) {
    const { out, signal } = context
    const project = namedProject(context, values.project)
    const also = projectFlag(values.project)
    const chosen = word === undefined ? null : { deployment: parseDeploymentId(word, also) }
    const client = await context.signedIn()
    const listing = { params: { project }, query: { limit: 100 }, signal }
    const { slug, url, productionBranch } = await client.getProject({ params: { project }, signal })
    const { deployment, ...body } =
      chosen ?? (await chooseRollback(paginate(client.listDeployments, listing), productionBranch, also))
    const active = await client.activateDeployment({ params: { project, deployment }, body, signal })
    const name = deploymentName(active)
    out.note(
      `${out.noteStyle('green', `${slug} now serves “${name}”`)}, ${active.id} from ${active.createdAt}.`,
    )
    return { document: { project: slug, deployment: active.id, url }, text: url }
  },
})
