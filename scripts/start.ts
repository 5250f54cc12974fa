import { join } from 'node:path'
import { builtServer } from './build/server.ts'
import { build } from './build.ts'
import { repositoryRoot } from './repository.ts'

await build()
console.log('Starting the server.')

// Replace this process with the server, so that signals and exit codes pass through unchanged.
if (process.execve === undefined) throw new Error('Masthead runs on Linux and macOS')
process.execve(process.execPath, [process.execPath, builtServer, ...process.argv.slice(2)], {
  // The next start loads what this one compiles.
  NODE_COMPILE_CACHE: join(repositoryRoot, 'node_modules/.cache/compiled'),
  ...process.env,
})
