import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Scope, scopeNames } from '@masthead/contract/scopes.ts'
import manifest from '../../package.json' with { type: 'json' }
import { command } from '../arguments/command.ts'
import { type CommandContext, createContext } from '../context.ts'
import { folderToPublish } from '../deploy/published-folder.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import { describeFailure } from '../errors/failure.ts'
import { isInside } from '../project/paths.ts'
import { readProjectFile } from '../project/read-project-file.ts'
import { AnswerCheck, explainCrash } from '../recognize-answer.ts'
import { Output } from '../terminal/output.ts'
import { deploy } from './deploy.ts'

export const mcp = command({
  name: 'mcp',
  summary: 'Let an assistant use Masthead',
  usage: ['mcp'],
  about: [
    'Serves tools over standard input and output by the Model Context Protocol. An assistant starts it; run it at a\nterminal to see how. The tools use your key, and can do no more than the key.',
    'By default they only read. --allow adds what they may change. The assistant asks you before anything is\ndeleted or costs something; if it cannot, use --yes, or do it yourself. Publishing changes domains\nonly if you allow both and agree.',
  ],
  options: {
    allow: {
      type: 'string',
      value: 'SCOPES',
      help: `what tools may change: ${scopeNames.filter((scope) => scope !== 'read').join(', ')}, separated by commas`,
    },
  },
  examples: [
    ['masthead mcp', 'how to set it up'],
    ['masthead mcp --allow deploy,domains', 'may publish, roll back and change domains'],
  ],
  words: 0,
  async run(context, values) {
    const { cwd, env, out, server, yes, signal } = context
    const allowed = new Set(readScopes(values.allow))
    if (out.interactive) {
      const setup = setupFor(out.asTyped('masthead mcp'), server, values.allow)
      return { document: setup, text: `${JSON.stringify(setup, null, 2)}\n\n${explanation}` }
    }
    const { serveTools } = await import('../mcp/serve.ts')
    await serveTools({
      version: manifest.version,
      ...{ server, allowed, yes, asTyped: out.asTyped },
      signal: AbortSignal.any([signal, out.unread]),
      async client() {
        await context.rereadKeys()
        return context.signedIn()
      },
      async domainsIn(folder) {
        const at = await folderInside(cwd, folder)
        const file = (await readProjectFile(at, cwd)) ?? (await readProjectFile(cwd, cwd))
        return file?.members.domains ?? null
      },
      async publish({ folder, project, preview, domains }, signal) {
        await context.rereadKeys()
        context.assertServerChosen('The key')
        const at = await folderInside(cwd, folder)
        // Its notes must not get into what the assistant reads.
        const quiet = new Output({
          stdin: {},
          stdout: process.stderr,
          stderr: process.stderr,
          json: true,
          quiet: true,
        })
        const answers = new AnswerCheck()
        const own = await createContext({
          cwd,
          env,
          out: quiet,
          signal,
          yes: true,
          server,
          origin: null,
          homes: [at, cwd],
          answers,
        })
        await assertInside(cwd, own, at)
        const options = {
          ...(project === undefined ? {} : { project }),
          ...(preview ? { 'no-activate': true } : {}),
          ...(domains === true ? {} : { 'no-domains': true }),
        }
        const { document, text, failure } = await deploy.run(own, options, [at]).catch(async (error) => {
          throw await explainCrash(error, own.server, answers)
        })
        if (failure !== undefined) throw domainsError(text, failure)
        return document
      },
    })
    return { document: {}, text: '' }
  },
})

const explanation = 'Add this to the settings of your assistant, which then starts the program.'

/** As most assistants have it in their settings. `typed` is what starts this program. */
function setupFor(typed: string, server: string, allow: string | undefined) {
  const [command, ...first] = typed.split(' ')
  const args = [...first, '--server', server, ...(allow === undefined ? [] : ['--allow', allow])]
  return { mcpServers: { masthead: { command, args } } }
}

function readScopes(text: string | undefined): Scope[] {
  const words = (text ?? '').split(',').map((word) => word.trim())
  return words
    .filter((word) => word !== '')
    .map((word) => {
      const scope = scopeNames.find((known) => known === word)
      if (scope !== undefined) return scope
      throw usageError(`--allow has no "${word}".`, `Use ${scopeNames.join(', ')}, separated by commas.`)
    })
}

function domainsError(url: string, failure: unknown): CommandError {
  const [what = '', ...then] = describeFailure(failure).sentences
  const message = `${url} is published, but its domains were not changed. ${what}`
  return new CommandError('domains_not_changed', message, then.join('\n'), 'failed', failure)
}

/** The project file, which the assistant may have written, can name another folder than the one it is in. */
async function assertInside(cwd: string, context: CommandContext, folder: string): Promise<void> {
  const published = folderToPublish(context, folder)
  if (published === folder) return
  const { members, name } = context.projectFile ?? {}
  await folderInside(cwd, published, `${members?.folder}, the folder in ${name},`)
}

/** Whatever an assistant was told, it publishes nothing from outside the folder it was started in. */
async function folderInside(cwd: string, folder: string, name = folder): Promise<string> {
  const root = await realpath(cwd)
  const at = await realpath(resolve(cwd, folder)).catch(() => resolve(cwd, folder))
  if (isInside(root, at)) return at
  throw new CommandError(
    'folder_outside',
    `${name} is not inside ${root}.`,
    'Start `masthead mcp` in a folder that contains it.',
  )
}
