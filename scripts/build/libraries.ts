import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readManifest, repositoryRoot } from '../repository.ts'
import { writePackage } from './pack.ts'
import { runBuild } from './run-build.ts'

const contract = 'packages/contract'
const client = 'packages/client'

/** The contract and the client as packages for other people's programs, in the `dist` of each. */
export const buildLibraries = () =>
  runBuild({
    what: 'the client',
    folder: join(repositoryRoot, client),
    result: 'dist/masthead-client.tgz',
    sources: ['packages/client', 'packages/contract', 'package-lock.json', 'LICENSE', 'scripts/build'],
    finish: writeLibraries,
  })

async function writeLibraries(): Promise<void> {
  // Loaded only here, because most starts build nothing.
  const { contractFiles } = await import('./contract-files.ts')
  const { clientTypes } = await import('./client-files.ts')
  const { version } = readManifest(repositoryRoot, contract)
  const facts = contractFiles(version)
  await mkdir(join(repositoryRoot, contract, 'dist'), { recursive: true })
  await writeLibrary(contract, {
    description: 'The API of Masthead as data: routes, errors, events, plans, and their types.',
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './openapi.json': './openapi.json' },
    files: facts,
  })
  await writeLibrary(client, {
    description: 'A typed client for the API of a Masthead server, with retries.',
    exports: { '.': { types: './package.d.ts', default: './client.js' } },
    files: new Map<string, string | Uint8Array>([
      ['client.js', await readFile(join(repositoryRoot, client, 'dist/client.js'))],
      ...(await clientTypes(join(repositoryRoot, client, 'src'))),
      ['contract.d.ts', facts.get('index.d.ts') ?? ''],
    ]),
  })
}

interface Library {
  description: string
  exports: Record<string, unknown>
  files: ReadonlyMap<string, string | Uint8Array>
}

async function writeLibrary(folder: string, { description, exports, files }: Library): Promise<void> {
  const { name, version, license } = readManifest(repositoryRoot, folder)
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports,
  }
  const read = (file: string) => readFile(join(repositoryRoot, file))
  const all = new Map<string, string | Uint8Array>([
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ...files,
    ['README.md', await read(join(folder, 'README.md'))],
    ['LICENSE', await read('LICENSE')],
  ])
  const archive = `${name.replace('@', '').replace('/', '-')}.tgz`
  await writePackage(join(repositoryRoot, folder, 'dist'), archive, all)
}
