import { listAll } from '@masthead/client/paginate.ts'
import { type CommandResult, command } from '../arguments/command.ts'
import { type RunVerb, runVerb } from '../arguments/verbs.ts'
import type { CommandContext } from '../context.ts'
import { noteDefaultSubdomain, noteTakedown } from '../deploy/notes.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import { namedProject } from '../project/choose-project.ts'
import { confirm } from '../terminal/ask.ts'
import { formatCount, timeAgo } from '../terminal/format.ts'
import { alignColumns } from '../terminal/layout.ts'

const options = {
  name: { type: 'string', value: 'NAME', help: 'create, rename: the name shown in the dashboard' },
} as const

interface ProjectValues {
  readonly name?: string
}

const verbs: Record<string, RunVerb<ProjectValues>> = {
  list: { takes: [], run: listProjects },
  create: { takes: ['SLUG'], options: ['name'], run: createProject },
  rename: { takes: ['PROJECT', '[SLUG]'], options: ['name'], run: renameProject },
  delete: { takes: ['PROJECT'], run: deleteProject },
}

export const projects = command({
  name: 'projects',
  summary: 'List, create, rename and delete projects',
  usage: [
    'projects',
    'projects create SLUG [--name NAME]',
    'projects rename PROJECT [SLUG] [--name NAME]',
    'projects delete PROJECT',
  ],
  about: [
    'The slug is part of the address, so a new one changes the address. deploy creates a project too if you do not\nhave it yet.',
  ],
  options,
  examples: [
    ['masthead projects', 'every project, its address and when it was last published'],
    ['masthead projects create my-site', 'without publishing anything yet'],
    ['masthead projects rename my-site our-site', 'change the address'],
    ['masthead projects delete my-site', 'with its deployments and domains'],
  ],
  words: 3,
  run: (context, values, words) => runVerb({ command: 'projects', options, verbs }, context, values, words),
})

async function listProjects(context: CommandContext): Promise<CommandResult> {
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
}

async function createProject(
  context: CommandContext,
  [word]: readonly string[],
  { name }: ProjectValues,
): Promise<CommandResult> {
  const slug = namedProject(context, word)
  const client = await context.signedIn()
  const body = { slug, ...(name === undefined ? {} : { name }) }
  const project = await client.createProject({ body, signal: context.signal })
  context.out.note(`Created the project ${slug}. Publish it with \`masthead deploy --project ${slug}\`.`)
  return { document: project, text: project.url }
}

async function renameProject(
  context: CommandContext,
  [word, slug]: readonly string[],
  { name }: ProjectValues,
): Promise<CommandResult> {
  const project = namedProject(context, word)
  if (slug === undefined && name === undefined) {
    throw usageError('The new slug or name is missing.', 'Use `masthead projects rename PROJECT SLUG`.')
  }
  const body = {
    ...(slug === undefined ? {} : { slug: namedProject(context, slug) }),
    ...(name === undefined ? {} : { name }),
  }
  const client = await context.signedIn()
  const { primaryUrl, url } = await client.getProject({ params: { project }, signal: context.signal })
  if (slug !== undefined && slug !== project) {
    const question = `Rename ${project} to ${slug}? ${url} stops working, and so do its previews.`
    if (!(await confirm(question, context))) throw new CommandError('kept', 'Nothing was renamed.', '')
  }
  const changed = await client.changeProject({ params: { project }, body, signal: context.signal })
  if (changed.url !== url && primaryUrl === url) context.out.note(`The site is now at ${changed.url}.`)
  return { document: changed, text: changed.primaryUrl }
}

async function deleteProject(context: CommandContext, [word]: readonly string[]): Promise<CommandResult> {
  const { signal, out } = context
  const project = namedProject(context, word)
  const client = await context.signedIn()
  const params = { project }
  const { slug, primaryUrl } = await client.getProject({ params, signal })
  const names = await listAll(client.listDomains, { params, query: { limit: 100 }, signal })
  const domains = names.length === 0 ? '' : ` and ${formatCount(names.length, 'domain')}`
  const question = `Delete ${slug} with its deployments${domains}? ${primaryUrl} stops working immediately.`
  if (!(await confirm(question, context))) throw new CommandError('kept', `${slug} was not deleted.`, '')
  await client.deleteProject({ params, signal })
  out.note(`Deleted ${slug}.`)
  return { document: { deleted: slug }, text: '' }
}

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
