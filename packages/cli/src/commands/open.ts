import { command } from '../command.ts'
import { namedProject } from '../named-project.ts'
import { noteOtherAddress } from '../note-other-address.ts'
import { noteTakedown } from '../note-takedown.ts'

export const open = command({
  name: 'open',
  summary: 'Open a project in the browser',
  usage: ['open [project]'],
  about: [
    'Prints the address, and opens it when run at a terminal: that of the primary domain while it is served, else\nthe default subdomain.',
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
    noteOtherAddress(project, context.out)
    noteTakedown(project, context.out)
    if (context.out.interactive) context.openBrowser(primaryUrl)
    return { document: { project: slug, url, primaryUrl }, text: primaryUrl }
  },
})
