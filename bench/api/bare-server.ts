import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'

/**
 * What Fastify makes of the same machine: one route that finds a key and its account in Masthead's own database, with
 * statements prepared beforehand, and answers with the account. No limits, no checks, no further headers.
 */
const [file = '', port] = process.argv.slice(2)
const database = new DatabaseSync(file, { readOnly: true })
const findKey = database.prepare('select * from keys where secret_hash = ?')
const findAccount = database.prepare('select * from accounts where id = ?')
const app = Fastify()

app.get('/account', async (request) => {
  const secret = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const key = findKey.get(hash('sha256', secret, 'base64url'))
  const account = key && findAccount.get(key.account_id ?? null)
  if (account === undefined) throw new Error('There is no such key')
  return { id: account.id, name: account.name, plan: account.plan, createdAt: account.created_at }
})

await app.listen({ host: '127.0.0.1', port: Number(port) })
process.send?.('listening')
