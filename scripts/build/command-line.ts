import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { packTar } from '@masthead/client/upload.ts'
import { readManifest, repositoryRoot } from '../repository.ts'
import { runBuild } from './run-build.ts'

const folder = join(repositoryRoot, 'packages/cli')
const built = join(folder, 'dist')

/** The command line as a package of one file: `dist` for `npm pack`, and the archive that servers offer. */
export const buildCommandLine = () =>
  runBuild({
    what: 'the command line',
    folder,
    result: 'dist/masthead.tgz',
    sources: [
      'packages/{cli,client,contract}/**/*',
      'package-lock.json',
      'LICENSE',
      'scripts/build/command-line.ts',
    ],
    finish: writePackage,
  })

async function writePackage(): Promise<void> {
  const { name, version, license } = readManifest(repositoryRoot, 'packages/cli')
  const manifest = {
    name,
    version,
    description: 'Publish a folder to a Masthead server, see it served.',
    license,
    type: 'module',
    engines: { node: '>=20' },
    bin: { masthead: 'masthead.js' },
    files: ['masthead.js'],
  }
  await writeFile(join(built, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  for (const [file, source] of [
    ['README.md', folder],
    ['LICENSE', repositoryRoot],
  ] as const) {
    await writeFile(join(built, file), await readFile(join(source, file)))
  }
  const files = ['package.json', 'masthead.js', 'README.md', 'LICENSE'].map(async (file) => ({
    // npm drops the first folder of every archive.
    name: `package/${file}`,
    content: await readFile(join(built, file)),
  }))
  const archive = await pack(await Promise.all(files))
  // In one step: a running server may be restarting.
  await writeFile(join(built, 'masthead.tgz.new'), archive)
  await rename(join(built, 'masthead.tgz.new'), join(built, 'masthead.tgz'))
}

/** The same bytes on every machine: compressed ones depend on the processor, and the header on the system. */
async function pack(files: Parameters<typeof packTar>[0]): Promise<Buffer> {
  const archive = await promisify<Uint8Array, { level: number }, Buffer>(gzip)(packTar(files), {
    level: constants.Z_NO_COMPRESSION,
  })
  const unknownSystem = 255
  archive[9] = unknownSystem
  return archive
}
