import assert from 'node:assert/strict'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createClient } from '@masthead/client/client.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))
const list = 'packages/server/src/database/migrate/migration-list.ts'

interface NewMigration {
  kind: 'expand' | 'contract'
  name: string
  statement: string
  needs?: string
}

/** A copy of the server with further migrations, as a later release has them. Returns its program. */
async function release(folder: string, added: readonly NewMigration[]): Promise<string> {
  const inCopy = (path: string) => join(folder, path)
  await cp(join(repository, 'packages/server'), inCopy('packages/server'), {
    recursive: true,
    filter: (source) => !source.includes('node_modules') && !/\.test(-kit)?\.ts$/.test(source),
  })
  for (const shared of ['node_modules', 'packages/dashboard', 'packages/server/node_modules']) {
    await symlink(join(repository, shared), inCopy(shared))
  }
  const calls = added.map(({ kind, name, statement, needs }) => {
    const up = `() => ({ up: async (db) => { await sql.raw(${JSON.stringify(statement)}).execute(db) } })`
    return `${kind}(${[JSON.stringify(name), up, ...(needs ? [JSON.stringify(needs)] : [])].join(', ')}),`
  })
  const source = await readFile(inCopy(list), 'utf8')
  const imports = `import { sql } from 'kysely'\n`
  await writeFile(inCopy(list), imports + source.replace(/\n\]\n$/, `\n${calls.join('\n')}\n]\n`))
  return inCopy('packages/server/src/start/main.ts')
}

const add: NewMigration = {
  kind: 'expand',
  name: '9001-motto',
  statement: 'alter table projects add column motto text',
}
const stopUsing: NewMigration = {
  kind: 'expand',
  name: '9002-no-motto',
  statement: 'create table without_motto (id text)',
}
const remove: NewMigration = {
  kind: 'contract',
  name: '9003-remove-motto',
  statement: 'alter table projects drop column motto',
  needs: '9002-no-motto',
}

test('two releases serve side by side, the older one restarts, and what only it used goes when it has stopped', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  await using schema = await postgresSchema()
  await using folder = await temporaryFolder('releases')
  await using later = await temporaryFolder('releases')
  const nextProgram = await release(folder.path, [add])
  const lastProgram = await release(later.path, [add, stopUsing, remove])
  const hasMotto = async () => {
    const columns = await schema.query(
      `select 1 from information_schema.columns
       where table_schema = current_schema() and table_name = 'projects' and column_name = 'motto'`,
    )
    return columns.length > 0
  }

  const env = { DATABASE_URL: schema.url }
  await using old = await MastheadProcess.start({ env })
  const { key } = await createPublisher(old)
  const onOld = createClient({ server: old.origin, key })
  const beside = { ...env, MASTHEAD_DATA: old.dataFolder }

  let created = 0
  const writeOn = async (client: typeof onOld) => {
    const slug = `site-${++created}`
    await client.createProject({ body: { slug, name: slug } })
  }
  let isOver = false
  const writing = (async () => {
    while (!isOver) await writeOn(onOld)
  })()

  await using next = await MastheadProcess.start({ env: beside, program: nextProgram })
  const onNext = createClient({ server: next.origin, key })
  assert.ok(await hasMotto())
  const before = created
  await until(() => created > before + 5)
  isOver = true
  await writing
  await writeOn(onNext)

  await old.restart()
  await writeOn(onOld)
  assert.equal((await onNext.listProjects({ query: { limit: 1 } })).items.length, 1)

  await using last = await MastheadProcess.start({ env: beside, program: lastProgram })
  assert.ok(await hasMotto(), 'two older releases still run')
  await old.kill('SIGTERM')
  await next.kill('SIGTERM')
  await last.restart()
  await until(async () => !(await hasMotto()))
  await writeOn(createClient({ server: last.origin, key }))
  await assert.rejects(old.restart(), /newer version of Masthead \(9003-remove-motto\).*Start that version/s)
  assert.equal((await fetch(`${last.origin}/readyz`)).status, 200)
})
