import { command } from '../../arguments/command.ts'
import { parseExpiry } from './keys.ts'

export const env = command({
  name: 'env',
  summary: 'Print the variables that a CI job needs',
  usage: ['env [--create-key NAME] [--expires WHEN]'],
  about: [
    'Set them as variables of the job; MASTHEAD_KEY is a secret. --create-key creates a key that can only publish,\nand prints it once.',
  ],
  options: {
    'create-key': { type: 'string', value: 'NAME', help: 'create a key that can read and deploy' },
    expires: { type: 'string', value: 'WHEN', help: 'when it expires: 90d (default), 12h, 4w, 1y or a date' },
  },
  examples: [
    ['masthead env', 'what to set'],
    ['masthead env --create-key ci', 'with a new key that expires in 90 days'],
  ],
  words: 0,
  async run(context, { 'create-key': name, expires = '90d' }) {
    const { server, out, signal } = context
    const variables: Record<string, string> = { MASTHEAD_SERVER: server }
    if (name === undefined)
      out.note('MASTHEAD_KEY is missing: add --create-key NAME, or use a key that you have.')
    else {
      const expiresAt = parseExpiry(expires, Date.now())
      const client = await context.signedIn()
      const key = await client.createKey({ body: { name, scopes: ['read', 'deploy'], expiresAt }, signal })
      out.note(`Created the key "${key.name}" (${key.id}), which expires on ${expiresAt.slice(0, 10)}.`)
      variables.MASTHEAD_KEY = key.secret
    }
    const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}`)
    return { document: variables, text: lines.join('\n') }
  },
})
