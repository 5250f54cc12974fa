import { command } from '../command.ts'
import { namedProject } from '../named-project.ts'

export const open = command({
  name: 'open',
  summary: 'Open a project in the browser',
  usage: ['open [project]'],
  about: ['Prints the address, and opens it when run at a terminal.'],
  options: {},
  examples: [
    ['masthead open', 'the project in masthead.json'],
    ['masthead open my-site', 'another'],
  ],
  words: 1,
  async run(context, values, [word]) {
    const client = await context.signedIn()
    const params = { project: namedProject(context, word, values.project) }
    const { slug, url } = await client.getProject({ params, signal: context.signal })
    if (context.out.interactive) context.openBrowser(url)
    return { document: { project: slug, url }, text: url }
  },
})
