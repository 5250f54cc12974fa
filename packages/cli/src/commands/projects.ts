import { listAll } from '@masthead/client/client.ts'
import { command } from '../arguments/command.ts'
import { noteDefaultSubdomain, noteTakedown } from '../deploy/notes.ts'
import { namedProject } from '../project/choose-project.ts'
import { timeAgo } from '../terminal/format.ts'
import { alignColumns } from '../terminal/layout.ts'

export const projects = command({
  name: 'projects',
  summary: 'List your projects',
  usage: ['projects'],
  options: {},
  examples: [['masthead projects', 'every project, its address and when it was last published']],
  words: 0,
  async run(context) {
    const { out, signal } = context
    const client = await context.signedIn()
    const found = await listAll(client.listProjects, { query: { limit: 100 }, signal })
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
    return { document: found, text: alignColumns(rows).join('\n') }
  },
})

export const open = command({
  name: 'open',
  summary: 'Open a project in the browser',
  usage: ['open [project]'],
  about: [
    'Prints the address of the primary domain while it is served, otherwise the default subdomain. At a terminal,\nit also opens the address.',
  ],
  options: {},
  examples: [
    ['masthead open', 'the project in masthead.json'],
    ['masthead open my-site', 'another'],
  ],
  words: 1,
  async run(context, values, [word]) {
    const client = await context.signedIn()
    const params = { project: namedProject(context, word, values.project) }
    const project = await client.getProject({ params, signal: context.signal })
    const { slug, url, primaryUrl } = project
    noteDefaultSubdomain(project, context.out)
    noteTakedown(project, context.out)
    if (context.out.interactive) context.openBrowser(primaryUrl)
    return { document: { project: slug, url, primaryUrl }, text: primaryUrl }
  },
})
