import { relative, resolve } from 'node:path'
import { projectFileNames } from '@masthead/contract/deployments.ts'
import { command } from '../arguments/command.ts'
import { defaultServer } from '../choose-server.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors/command-error.ts'
import { chooseProject, suggestName } from '../project/choose-project.ts'
import { findProject } from '../project/find-project.ts'
import { type ProjectFileChange, writeProjectFile } from '../project/project-file.ts'
import { readProjectFile } from '../project/read-project-file.ts'
import { ask, confirm } from '../terminal/ask.ts'

export const init = command({
  name: 'init',
  summary: 'Link this folder to a project',
  usage: ['init [slug]'],
  about: [
    'Uses your project of that name, or creates it, and writes masthead.json here, so that other commands know\nwhich project to use. An existing masthead.json or masthead.yaml keeps its other settings.',
  ],
  options: {
    folder: { type: 'string', value: 'FOLDER', help: 'folder to publish, if not this one' },
  },
  examples: [
    ['masthead init', 'name the project after this folder'],
    ['masthead init my-site --folder dist', 'publish ./dist as my-site'],
  ],
  words: 1,
  async run(context, values, [slug]) {
    const { cwd, out, signal } = context
    const earlier = await readProjectFile(cwd, cwd)
    const { fileName } = earlier ?? { fileName: projectFileNames[0] }
    if (earlier && !(await confirm(`${fileName} already exists. Change it?`, context))) {
      throw new CommandError('kept', `${fileName} was not changed.`, '')
    }
    const client = await context.signedIn()
    const named = slug ?? values.project ?? (await askForSlug(context))
    const { project, created } = await findProject(client, chooseProject(named, cwd), signal)
    const tie: ProjectFileChange = {
      project: project.slug,
      folder: values.folder === undefined ? (earlier?.members.folder ?? '.') : fromHere(cwd, values.folder),
      server: context.server === defaultServer ? undefined : context.server,
    }
    await writeProjectFile({ directory: cwd, fileName }, tie)
    out.note(`${created ? 'Created' : 'Found'} the project ${project.slug} and wrote ${fileName}.`)
    out.note('Publish it with `masthead deploy`.')
    return { document: { ...tie, created, url: project.url }, text: '' }
  },
})

async function askForSlug({ out, yes, cwd, signal }: CommandContext): Promise<string | undefined> {
  if (!out.interactive || yes) return undefined
  return (await ask('Project name?', suggestName(cwd) ?? '', signal)) || undefined
}

function fromHere(cwd: string, folder: string): string {
  return relative(cwd, resolve(cwd, folder)) || '.'
}
