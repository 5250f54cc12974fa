import { listAll } from '@masthead/client/client.ts'
import { formatBytes } from '@masthead/contract/byte-size.ts'
import { deploymentSource } from '@masthead/contract/deployments.ts'
import { command } from '../arguments/command.ts'
import { namedProject } from '../project/choose-project.ts'
import { deploymentName } from '../terminal/deployment-name.ts'
import { formatCount, timeAgo } from '../terminal/format.ts'
import { alignColumns, sanitize } from '../terminal/layout.ts'

const maxSource = 40

export const deployments = command({
  name: 'deployments',
  summary: 'List deployments, newest first',
  usage: ['deployments [project]'],
  options: {},
  examples: [
    ['masthead deployments', 'of the project in masthead.json'],
    ['masthead deployments my-site', 'of another'],
  ],
  words: 1,
  async run(context, values, [word]) {
    const { out, signal } = context
    const project = namedProject(context, word, values.project)
    const client = await context.signedIn()
    const listing = { params: { project }, query: { limit: 100 }, signal }
    const found = await listAll(client.listDeployments, listing)
    if (found.length === 0) out.note('Nothing published yet. Publish with `masthead deploy`.')
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
  },
})
