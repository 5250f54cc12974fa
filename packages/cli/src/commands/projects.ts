import { pages } from '@masthead/client/pages.ts'
import { columns } from '../columns.ts'
import { command } from '../command.ts'
import { timeAgo } from '../human-time.ts'

export const projects = command({
  name: 'projects',
  summary: 'List your projects',
  usage: ['projects'],
  options: {},
  examples: [['masthead projects', 'every project, its address, and when it was last published']],
  words: 0,
  async run(context) {
    const { out, signal } = context
    const client = await context.signedIn()
    const found = await Array.fromAsync(pages(client.listProjects, { query: { limit: 100 }, signal }))
    if (found.length === 0) out.note('No projects yet. Publish the first one: masthead deploy ./some-folder')
    const now = Date.now()
    const rows = found.map(({ slug, primaryUrl, activeDeployment, takedown }) => [
      out.style('bold', slug),
      primaryUrl,
      takedown
        ? out.style('red', `taken down (${takedown.status})`)
        : activeDeployment
          ? out.style('green', 'live')
          : 'nothing published yet',
      activeDeployment?.activatedAt ? timeAgo(activeDeployment.activatedAt, now) : '',
    ])
    return { document: found, text: columns(rows).join('\n') }
  },
})
