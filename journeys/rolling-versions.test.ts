import assert from 'node:assert/strict'
import { cp, glob, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '@masthead/client/client.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { serverProgram } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))
const server = join(repository, 'packages/server')
/** The built server, or the sources of a server that was not built. */
const code = relative(server, serverProgram).split(sep)[0] ?? ''

interface NewMigration {
  kind: 'expand' | 'contract'
  name: string
  /** Code, on kysely's `schema`. */
  statement: string
  needs?: string
}

/** A copy of the server with further migrations, as a later release has them. Returns its program. */
async function release(folder: string, added: readonly NewMigration[]): Promise<string> {
  const copy = join(folder, 'packages/server')
  await cp(join(server, code), join(copy, code), {
    recursive: true,
    filter: (source) => !/\.test(-kit)?\.ts$/.test(source),
  })
  await cp(join(server, 'package.json'), join(copy, 'package.json'))
  for (const shared of [
    'node_modules',
    'packages/dashboard',
    'packages/server/node_modules',
    'packages/server/sample',
  ]) {
    await symlink(join(repository, shared), join(folder, shared))
  }
  const calls = added.map(({ kind, name, statement, needs }) => {
    const up = `() => ({ up: async ({ schema }) => { await ${statement}.execute() } })`
    return `${kind}(${[JSON.stringify(name), up, ...(needs ? [JSON.stringify(needs)] : [])].join(', ')}),`
  })
  await appendToList(join(copy, code), calls.join('\n'))
  return join(copy, relative(server, serverProgram))
}

async function appendToList(folder: string, entries: string): Promise<void> {
  const endOfList = /(\n\s*(?:expand|contract)\(['"]\d{4}-.+\)),?\n\]/
  for await (const file of glob('**/*.{js,ts}', { cwd: folder })) {
    const path = join(folder, file)
    const source = await readFile(path, 'utf8')
    if (!endOfList.test(source)) continue
    await writeFile(path, source.replace(endOfList, `$1,\n${entries}\n]`))
    return
  }
  throw new Error(`No list of migrations in ${folder}`)
}

const add: NewMigration = {
  kind: 'expand',
  name: '9001-motto',
  statement: "schema.alterTable('projects').addColumn('motto', 'text')",
}
const stopUsing: NewMigration = {
  kind: 'expand',
  name: '9002-no-motto',
  statement: "schema.createTable('without_motto').addColumn('id', 'text')",
}
const remove: NewMigration = {
  kind: 'contract',
  name: '9003-remove-motto',
  statement: "schema.alterTable('projects').dropColumn('motto')",
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
    while (!isOver) {
      await writeOn(onOld)
      await sleep(20)
    }
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
