import { join } from 'node:path'
import { build } from './build.ts'
import { repositoryRoot } from './repository.ts'

await build()
console.log('Starting the server.')

// Replace this process with the server, so that signals and exit codes pass through unchanged.
const server = join(repositoryRoot, 'packages/server/src/start/main.ts')
if (process.execve === undefined) throw new Error('Masthead runs on Linux and macOS')
process.execve(process.execPath, [process.execPath, server, ...process.argv.slice(2)], process.env)
