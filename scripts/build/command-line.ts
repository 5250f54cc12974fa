import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readManifest, repositoryRoot } from '../repository.ts'
import { writePackage } from './pack.ts'
import { runBuild } from './run-build.ts'

const folder = join(repositoryRoot, 'packages/cli')
const built = join(folder, 'dist')

/** The program in the package. */
export const builtCommandLine = join(built, 'masthead.js')

/** The command line as a package of one program and what starts it: `dist` for `npm pack`, and the archive that servers offer. */
export const buildCommandLine = () =>
  runBuild({
    what: 'the command line',
    folder,
    result: 'dist/masthead.tgz',
    sources: [
      'packages/cli',
      'packages/client',
      'packages/contract',
      'package-lock.json',
      'LICENSE',
      'scripts/build/command-line.ts',
      'scripts/build/pack.ts',
    ],
    finish: writeCommandLine,
  })

async function writeCommandLine(): Promise<void> {
  const { name, version, license } = readManifest(repositoryRoot, 'packages/cli')
  const manifest = {
    name,
    version,
    description: 'Publish a folder to a Masthead server, see it served.',
    license,
    type: 'module',
    engines: { node: '>=20' },
    bin: { masthead: 'masthead.js' },
    files: ['masthead.js', 'user-folders.js', 'program.js'],
  }
  const files = new Map<string, string | Uint8Array>([
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['masthead.js', await readFile(join(folder, 'bin/packaged.js'))],
    ['user-folders.js', await readFile(join(folder, 'bin/user-folders.js'))],
    ['program.js', await readFile(join(built, 'program.js'))],
    ['README.md', await readFile(join(folder, 'README.md'))],
    ['LICENSE', await readFile(join(repositoryRoot, 'LICENSE'))],
  ])
  await writePackage(built, 'masthead.tgz', files)
}
