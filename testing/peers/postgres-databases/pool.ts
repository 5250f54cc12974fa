import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAllFiles } from '../../after-all-files.ts'
import { testPostgresUrl } from '../postgres.ts'
import { type CopiedDatabase, openCopy } from './copied-database.ts'
import { databaseUrl, prepareTemplate, type Template } from './template.ts'

const free = new Map<string, CopiedDatabase[]>()
let administration: Promise<pg.Client> | undefined

afterAllFiles(async () => {
  for (const database of [...free.values()].flat()) await drop(database)
  await (await administration)?.end()
})

/**
 * A database on the test server as the template left it. At the end of its scope it is emptied for the next test of this
 * process, which takes a tenth of the time of another copy.
 */
export async function postgresDatabase(template: Template): Promise<AsyncDisposable & { url: string }> {
  const waiting = free.get(template.name) ?? []
  free.set(template.name, waiting)
  const database = waiting.pop() ?? (await copy(template))
  return {
    url: database.url,
    [Symbol.asyncDispose]: async () => {
      if (await database.restore()) waiting.push(database)
      else await drop(database)
    },
  }
}

async function copy(template: Template): Promise<CopiedDatabase> {
  const server = await testPostgresUrl()
  await prepareTemplate(server, template)
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(`create database ${name} template ${template.name} strategy file_copy`)
  return openCopy(name, databaseUrl(server, name))
}

async function drop(database: CopiedDatabase): Promise<void> {
  await database.close()
  await administer(`drop database ${database.name} with (force)`)
}

async function administer(sql: string): Promise<void> {
  administration ??= connect(await testPostgresUrl())
  await (await administration).query(sql)
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
