import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { problems } from '@masthead/contract/problems.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { repositoryRoot } from '../repository.ts'
import { buildLibraries } from './libraries.ts'

const packages = join(repositoryRoot, 'packages')
before(buildLibraries)

/** Fails to compile where the types of the package are not those of the source. */
const comparison = `
import type { Client } from '${packages}/client/src/client.ts'
import type { EndpointName } from '${packages}/contract/src/endpoints.ts'
import type { EndpointName as PackedName } from '${packages}/contract/dist/index.d.ts'
import type { Client as Packed } from '${packages}/client/dist/package.d.ts'

type Name = keyof Client
type All = { [N in Name]: true }
type Input<N extends Name> = Parameters<Packed[N]> extends Parameters<Client[N]> ? true : [N, 'takes less']
type Answer<One, Other> = Awaited<One> extends Awaited<Other> ? true : 'answers differently'

export const names: [EndpointName, PackedName] = {} as [PackedName, EndpointName]
export const methods: [Name, keyof Packed] = {} as [keyof Packed, Name]
export const inputs: { [N in Name]: Input<N> } = {} as All
export const answers: { [N in Name]: Answer<ReturnType<Client[N]>, ReturnType<Packed[N]>> } = {} as All
export const same: { [N in Name]: Answer<ReturnType<Packed[N]>, ReturnType<Client[N]>> } = {} as All

declare const client: Packed
// @ts-expect-error
await client.getProject({ params: {} })
// @ts-expect-error
await client.getDeployment({ params: { project: 'x', deployment: 'prj_1' } })
// @ts-expect-error
export const wrong: number = await client.getProject({ params: { project: 'x' } })
`

test('the types of the packages are those of the source, and stand alone', async () => {
  await using folder = await temporaryFolder('masthead-types')
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
    ...{ module: 'nodenext', target: 'esnext', allowImportingTsExtensions: true },
    ...{ types: ['node'], typeRoots: [join(repositoryRoot, 'node_modules/@types')] },
  }
  const settings = { compilerOptions, files: ['compare.ts'] }
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify(settings))
  await writeFile(join(folder.path, 'compare.ts'), comparison)
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', folder.path, '--singleThreaded']).catch(
    ({ stdout }) => assert.fail(stdout),
  )
})

test('the packages are plain JavaScript without dependencies', async () => {
  const contract = await import(join(packages, 'contract/dist/index.js'))
  assert.deepEqual(contract.problems, problems)
  const client = await import(join(packages, 'client/dist/client.js'))
  assert.equal(typeof client.createClient({ server: 'http://localhost' }).listProjects, 'function')
  for (const file of ['contract/dist/index.js', 'contract/dist/index.d.ts', 'client/dist/client.js'])
    assert.doesNotMatch(await readFile(join(packages, file), 'utf8'), /\bfrom ["']|\bimport\(/, file)
  for (const folder of ['contract', 'client']) {
    const manifest = JSON.parse(await readFile(join(packages, folder, 'dist/package.json'), 'utf8'))
    assert.equal(manifest.dependencies, undefined)
    assert.equal(manifest.private, undefined)
  }
})
