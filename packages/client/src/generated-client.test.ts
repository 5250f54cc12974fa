import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import openapiTypes, { astToString } from 'openapi-typescript'

const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
const fetcher = dirname(dirname(fileURLToPath(import.meta.resolve('openapi-fetch'))))

/** What somebody writes who has only the OpenAPI document of a server. */
const program = `
import createClient from 'openapi-fetch'
import type { paths } from './masthead.ts'

const { SERVER, KEY } = process.env
const client = createClient<paths>({ baseUrl: SERVER, headers: { Authorization: \`Bearer \${KEY}\` } })

const created = await client.POST('/v1/projects', { body: { name: 'Generated', slug: 'generated' } })
if (created.data === undefined) throw new Error(created.error.title)
const slug: string = created.data.slug

const listed = await client.GET('/v1/projects', { params: { query: { limit: 10 } } })
const names: string[] = listed.data?.items.map((project) => project.name) ?? []

const missing = await client.GET('/v1/projects/{project}', { params: { path: { project: 'nowhere' } } })
const code: string | undefined = missing.error?.code

// @ts-expect-error
await client.GET('/v1/projects/{project}', { params: { path: {} } }).catch(() => {})

console.log(JSON.stringify({ slug, names, code, status: missing.response.status }))
`

test('a client generated from the OpenAPI document is typed and works', async () => {
  await using masthead = await MastheadProcess.start()
  await using folder = await temporaryFolder('masthead-generated')
  const { key } = await createPublisher(masthead)
  const document = await (await fetch(`${masthead.origin}/v1/openapi.json`)).text()
  const write = (name: string, text: string) => writeFile(join(folder.path, name), text)
  await mkdir(join(folder.path, 'node_modules'))
  await symlink(fetcher, join(folder.path, 'node_modules/openapi-fetch'))
  await symlink(
    fileURLToPath(new URL('../../../node_modules/@types', import.meta.url)),
    join(folder.path, 'node_modules/@types'),
  )
  await write('masthead.ts', astToString(await openapiTypes(document)))
  await write('program.ts', program)
  await write('package.json', '{ "type": "module" }')
  const options = {
    ...{ strict: true, noEmit: true, target: 'esnext', module: 'nodenext', types: ['node'] },
    allowImportingTsExtensions: true,
  }
  await write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['program.ts'] }))
  const run = promisify(execFile)
  const cwd = folder.path
  await run(process.execPath, [tsc, '-p', '.', '--singleThreaded'], { cwd }).catch((error) =>
    assert.fail(error.stdout),
  )
  const env = { SERVER: masthead.origin, KEY: key, PATH: process.env.PATH }
  const { stdout } = await run(process.execPath, ['program.ts'], { cwd, env })
  assert.deepEqual(JSON.parse(stdout), {
    slug: 'generated',
    names: ['Generated'],
    code: 'not_found',
    status: 404,
  })
})
