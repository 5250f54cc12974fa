import { ProblemError } from '@masthead/client/errors.ts'
import { protectionScopes } from '@masthead/contract/project-settings.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { assertUsage, command, type Options } from '../arguments/command.ts'
import type { CommandContext } from '../context.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import { namedProject, projectFlag } from '../project/choose-project.ts'
import { askSecret } from '../terminal/ask.ts'

const options = {
  previews: { type: 'boolean', help: 'on: previews only; the live site stays open' },
  path: {
    type: 'string',
    multiple: true,
    value: 'PATH',
    help: 'on: only this path and what is below it; repeatable',
  },
  note: { type: 'string', value: 'TEXT', help: 'on: shown to visitors, such as whom to ask' },
} as const satisfies Options

const verbs = {
  show: { takes: [] },
  on: { takes: [], options: ['previews', 'path', 'note'] },
  off: { takes: [] },
  undo: { takes: [] },
} as const

export const protect = command({
  name: 'protect',
  summary: 'Protect a site with a password',
  usage: ['protect', 'protect on [--previews | --path PATH…] [--note TEXT]', 'protect off', 'protect undo'],
  about: [
    'Without a verb, it shows what needs a password. `on` asks for the password, or takes it from\nMASTHEAD_SITE_PASSWORD. An empty one keeps the current password. `off` lets everyone in, and `undo` takes\nthat back for a day. Members of the account sign in with Masthead and need no password.',
  ],
  options,
  examples: [
    ['masthead protect on', 'the whole site and its previews'],
    ['masthead protect on --path /members --path /drafts', 'two paths'],
    ['masthead protect off', 'open to everyone again'],
  ],
  words: 2,
  async run(context, values, [verb = 'show', ...words]) {
    if (!isVerb(verb)) throw usageError(`There is no \`masthead protect ${verb}\`.`, 'Use on, off or undo.')
    assertUsage(verbs[verb], { name: `protect ${verb}`, words, values }, options)
    const { out, signal } = context
    const params = { project: namedProject(context, values.project) }
    const client = await context.signedIn()
    if (verb === 'on') {
      const { previews = false, path: paths = [], note = '' } = values
      if (previews && paths.length > 0)
        throw usageError('--previews and --path exclude each other.', 'Use one.')
      const scope = paths.length > 0 ? 'paths' : previews ? 'previews' : 'site'
      const password = await newPassword(context)
      const body = { scope, paths, note, ...(password !== '' && { password }) } as const
      const project = await client.setProtection({ params, body, signal }).catch((error: unknown) => {
        throw isPasswordMissing(error, password) ? noPasswordYet(error) : error
      })
      out.note(out.noteStyle('green', `${project.slug} is protected.`))
      return describe(project)
    }
    if (verb === 'off') {
      await client.removeProtection({ params, signal })
      const undo = `masthead protect undo${projectFlag(values.project)}`
      out.note(`Everyone can visit the site now. \`${undo}\` takes it back.`)
    }
    if (verb === 'undo') return describe(await client.restoreProtection({ params, signal }))
    return describe(await client.getProject({ params, signal }))
  },
})

function isVerb(word: string): word is keyof typeof verbs {
  return Object.hasOwn(verbs, word)
}

/** Never an argument: other users of the machine see those. */
async function newPassword({ env, out, signal }: CommandContext): Promise<string> {
  const given = env.MASTHEAD_SITE_PASSWORD
  if (given !== undefined) return given
  return out.interactive ? askSecret('Password for visitors:', signal) : ''
}

function isPasswordMissing(error: unknown, password: string): boolean {
  return (
    error instanceof ProblemError && password === '' && error.errors.some(({ path }) => path === 'password')
  )
}

function noPasswordYet(cause: unknown): CommandError {
  const fix = 'Set MASTHEAD_SITE_PASSWORD, or run the command at a terminal, where it asks.'
  return new CommandError('password_missing', 'This site has no password yet.', fix, 'failed', cause)
}

function describe({ slug, protection }: Project) {
  const document = { project: slug, protection }
  if (protection === null) return { document, text: `${slug}  open to everyone` }
  const { scope, paths, note } = protection
  const lines = [`${slug}  ${protectionScopes[scope]}`, ...paths.map((path) => `  ${path}`)]
  return { document, text: [...lines, ...(note === '' ? [] : [`  Note: ${note}`])].join('\n') }
}
