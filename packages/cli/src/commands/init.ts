import { relative, resolve } from 'node:path'
import { ask, confirmed } from '../ask.ts'
import { defaultServer } from '../choose-server.ts'
import { command } from '../command.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { chooseProject, suggestName } from '../deploy/choose-project.ts'
import { findProject } from '../deploy/find-project.ts'
import { type ProjectFile, projectFileName, readProjectFile, writeProjectFile } from '../project-file.ts'

export const init = command({
  name: 'init',
  summary: 'Tie this folder to a project',
  usage: ['init [slug]'],
  about: [
    `Takes your project of that name, or creates it, and writes ${projectFileName} here, so that the other\ncommands know which project is meant.`,
  ],
  options: {
    folder: { type: 'string', value: 'FOLDER', help: 'what to publish, if not this folder itself' },
  },
  examples: [
    ['masthead init', 'name the project after this folder'],
    ['masthead init my-site --folder dist', 'publish ./dist as my-site'],
  ],
  words: 1,
  async run(context, values, [slug]) {
    const { cwd, out, signal } = context
    const earlier = await readProjectFile(cwd)
    if (earlier && !(await confirmed(`${projectFileName} is here already. Replace it?`, context))) {
      throw new CommandError('kept', `${projectFileName} was left as it is.`, '')
    }
    const client = await context.signedIn()
    const named = slug ?? values.project ?? (await askForSlug(context))
    const { project, created } = await findProject(client, chooseProject(named, cwd), signal)
    const file: ProjectFile = {
      project: project.slug,
      folder: values.folder === undefined ? (earlier?.folder ?? '.') : fromHere(cwd, values.folder),
      ...(context.server === defaultServer ? {} : { server: context.server }),
    }
    await writeProjectFile(cwd, file)
    out.note(`${created ? 'Created' : 'Found'} the project ${project.slug}, and wrote ${projectFileName}.`)
    out.note('Publish it with `masthead deploy`.')
    return { document: { ...file, created, url: project.url }, text: '' }
  },
})

async function askForSlug({ out, yes, cwd, signal }: Context): Promise<string | undefined> {
  if (!out.interactive || yes) return undefined
  return (await ask('Name of the project?', suggestName(cwd) ?? '', signal)) || undefined
}

function fromHere(cwd: string, folder: string): string {
  return relative(cwd, resolve(cwd, folder)) || '.'
}
