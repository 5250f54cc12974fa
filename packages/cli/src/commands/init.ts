import type { Client } from '@masthead/client/client.ts'
import { projectFileNames } from '@masthead/contract/deployments.ts'
import { type CommandResult, command } from '../arguments/command.ts'
import { defaultServer } from '../choose-server.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors/command-error.ts'
import { chooseProject, namedProject, suggestName } from '../project/choose-project.ts'
import { type FoundProject, findProject } from '../project/find-project.ts'
import { writtenFolder } from '../project/paths.ts'
import {
  assertWritable,
  type ProjectFileChange,
  UnparseableError,
  writeProjectFile,
} from '../project/project-file.ts'
import { readProjectFile } from '../project/read-project-file.ts'
import { ask, confirm } from '../terminal/ask.ts'

export const init = command({
  name: 'init',
  summary: 'Link this folder to a project',
  usage: ['init [slug]'],
  about: [
    'Uses your project of that name, or creates it, and writes masthead.json here, so that other commands know\nwhich project to use. An existing masthead.json or masthead.yaml keeps its other settings.\nOne that cannot be parsed is replaced.',
  ],
  options: {
    folder: { type: 'string', value: 'FOLDER', help: 'folder to publish, if not this one' },
  },
  examples: [
    ['masthead init', 'name the project after this folder'],
    ['masthead init my-site --folder dist', 'publish ./dist as my-site'],
  ],
  words: 1,
  ignoresBrokenFile: true,
  async run(context, values, [slug]) {
    const named = slug ?? values.project
    return linkFolder(context, values.folder, async (client) => {
      const wanted = chooseProject(named ?? (await askForSlug(context)), context.cwd)
      return findProject(client, wanted, { signal: context.signal })
    })
  },
})

export const link = command({
  name: 'link',
  summary: 'Link this folder to a project that exists',
  usage: ['link PROJECT'],
  about: ['Like init, but it never creates a project: a typing error is an error.'],
  options: init.options,
  examples: [['masthead link my-site', 'use my-site from now on in this folder']],
  words: 1,
  ignoresBrokenFile: true,
  async run(context, values, [word]) {
    const project = namedProject(context, word, values.project as string | undefined)
    return linkFolder(context, values.folder as string | undefined, async (client) => ({
      project: await client.getProject({ params: { project }, signal: context.signal }),
      created: false,
    }))
  },
})

async function linkFolder(
  context: CommandContext,
  folder: string | undefined,
  find: (client: Client) => Promise<FoundProject>,
): Promise<CommandResult> {
  const { cwd, out } = context
  const found = await readProjectFile(cwd, cwd).catch(unlessUnparseable)
  const broken = found instanceof UnparseableError ? found : null
  const earlier = found instanceof UnparseableError ? null : found
  const fileName = earlier?.fileName ?? broken?.file ?? projectFileNames[0]
  const question = broken ? `${broken.message} Replace the file?` : `${fileName} already exists. Change it?`
  if (found !== null && !(await confirm(question, context))) {
    throw new CommandError('kept', `${fileName} was not changed.`, '')
  }
  await assertWritable({ directory: cwd, fileName })
  const { project, created } = await find(await context.signedIn())
  const tie: ProjectFileChange = {
    project: project.slug,
    folder: folder === undefined ? (earlier?.members.folder ?? '.') : writtenFolder(cwd, folder),
    server: context.server === defaultServer ? undefined : context.server,
  }
  await writeProjectFile({ directory: cwd, fileName }, tie, earlier === null)
  out.note(`${created ? 'Created' : 'Found'} the project ${project.slug} and wrote ${fileName}.`)
  out.note('Publish it with `masthead deploy`.')
  return { document: { ...tie, created, url: project.url }, text: '' }
}

function unlessUnparseable(error: unknown): UnparseableError {
  if (error instanceof UnparseableError) return error
  throw error
}

async function askForSlug({ out, yes, cwd, signal }: CommandContext): Promise<string | undefined> {
  if (!out.interactive || yes) return undefined
  return (await ask('Project name?', suggestName(cwd) ?? '', signal)) || undefined
}
