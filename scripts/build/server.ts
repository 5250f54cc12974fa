import { join } from 'node:path'
import { repositoryRoot } from '../repository.ts'
import { runBuild } from './run-build.ts'

const folder = join(repositoryRoot, 'packages/server')

/** The program that `npm start` runs. */
export const builtServer = join(folder, 'dist/start/main.js')

export const buildServer = () =>
  runBuild({
    what: 'the server',
    folder,
    result: 'dist/start/main.js',
    sources: ['packages/server', 'packages/contract', 'package-lock.json', 'scripts/build/server.ts'],
  })
