import { builtServer } from './build/server.ts'
import { build } from './build.ts'

await build()
console.log('Starting the server.')

// Replace this process with the server, so that signals and exit codes pass through unchanged.
if (process.execve === undefined) throw new Error('Masthead runs on Linux and macOS')
process.execve(process.execPath, [process.execPath, builtServer, ...process.argv.slice(2)], process.env)
