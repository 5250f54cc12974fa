import { columns } from '../columns.ts'
import { command } from '../command.ts'

export const whoami = command({
  name: 'whoami',
  summary: 'Show who is signed in, and where',
  usage: ['whoami'],
  options: {},
  examples: [['masthead whoami', 'server, person, account and what the key may do']],
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
      ['May', scopes.join(', ')],
    ].filter((row): row is [string, string] => Boolean(row[1]))
    return { document: { server: context.server, ...identity }, text: columns(rows).join('\n') }
  },
})
