import { text } from 'node:stream/consumers'
import { command } from '../command.ts'
import { usageError } from '../command-error.ts'
import { describeIdentity } from '../identity.ts'

export const login = command({
  name: 'login',
  summary: 'Sign in to a server',
  usage: ['login', 'login --with-key < key.txt'],
  about: [
    'Shows a code and opens the browser, where you approve it. The key that this program gets is stored for you\nalone, one for each server.',
  ],
  options: {
    'with-key': { type: 'boolean', help: 'read an API key from standard input instead' },
  },
  examples: [
    ['masthead login', 'sign in to the server on this machine'],
    ['masthead login --server https://masthead.example', 'sign in to another'],
  ],
  words: 0,
  async run(context, values) {
    const key = values['with-key'] ? await readKey() : await context.signIn()
    const identity = await context.client(key).getWhoami({ signal: context.signal })
    if (values['with-key']) await context.storeKey(key)
    return {
      document: { server: context.server, ...identity },
      text: `Signed in to ${context.server} as ${describeIdentity(identity)}.`,
    }
  },
})

async function readKey(): Promise<string> {
  const key = (await text(process.stdin)).trim()
  if (key !== '' && !/\s/.test(key)) return key
  throw usageError('Standard input holds no key.', 'Write it like `masthead login --with-key < key.txt`.')
}
