import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Identity } from '@masthead/contract/schemas/people.ts'
import { parseKey } from '../../api-key.ts'
import { command } from '../../arguments/command.ts'
import { usageError } from '../../errors/command-error.ts'
import { alignColumns } from '../../terminal/layout.ts'

/** Such as "ada@example.com, My team". */
function describeIdentity({ kind, person, key, account }: Identity): string {
  const who =
    person?.email ?? (key ? `the key "${key.name}"` : kind === 'operator' ? 'the operator' : 'somebody')
  return account ? `${who}, ${account.name}` : who
}

export const login = command({
  name: 'login',
  summary: 'Sign in to a server',
  usage: ['login [URL]', 'login [URL] --with-key < key.txt'],
  about: [
    'Shows a code and opens the browser, where you approve it. The key is stored so that only you can read it, one\nper server.',
  ],
  options: {
    'with-key': { type: 'boolean', help: 'read an API key from standard input instead' },
  },
  examples: [
    ['masthead login', 'sign in to the server on this machine'],
    ['masthead login https://masthead.example', 'sign in to another, and use it from now on'],
  ],
  words: 1,
  serverIn: ([url]) => url,
  ignoresBrokenFile: true,
  async run(context, values) {
    if (values['with-key']) context.assertServerChosen('The key')
    const key = values['with-key'] ? await readKey(context.signal) : await context.signIn()
    const identity = await context.client(key).getWhoami({ signal: context.signal })
    if (values['with-key']) await context.storeKey(key)
    return {
      document: { server: context.server, ...identity },
      text: `Signed in to ${context.server} as ${describeIdentity(identity)}.`,
    }
  },
})

async function readKey(signal: AbortSignal): Promise<string> {
  const given = await text(addAbortSignal(signal, process.stdin))
  if (given.trim() !== '') return parseKey(given, 'What standard input has')
  throw usageError('There is no key on standard input.', 'Use `masthead login --with-key < key.txt`.')
}

export const logout = command({
  name: 'logout',
  summary: 'Forget the stored key of a server',
  usage: ['logout'],
  about: [
    'The key itself stays valid until you revoke it: on your profile in the dashboard, or as an owner with\n`masthead keys revoke`.',
  ],
  options: {},
  examples: [['masthead logout', 'forget the key of the server you used last']],
  words: 0,
  async run(context) {
    await context.storeKey(null)
    if (context.env.MASTHEAD_KEY?.trim()) {
      context.out.note('MASTHEAD_KEY is still set, and commands go on using it.')
    }
    return { document: { server: context.server }, text: `Signed out of ${context.server}.` }
  },
})

export const whoami = command({
  name: 'whoami',
  summary: 'Show who is signed in and where',
  usage: ['whoami'],
  options: {},
  examples: [['masthead whoami', 'server, person, account and scopes']],
  words: 0,
  async run(context) {
    const client = await context.signedIn()
    const identity = await client.getWhoami({ signal: context.signal })
    const { person, key, account, kind, scopes } = identity
    const rows = [
      ['Server', context.server],
      ['Person', person && `${person.name} <${person.email}>`],
      ['Key', key && `${key.name} (${key.id})`],
      ['Account', account ? `${account.name} (${account.plan})` : kind],
      ['Scopes', scopes.join(', ')],
    ].filter((row): row is [string, string] => Boolean(row[1]))
    return { document: { server: context.server, ...identity }, text: alignColumns(rows).join('\n') }
  },
})
