#!/usr/bin/env node
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const needed = 26
const { versions } = process
if (Number(versions.node.split('.')[0]) < needed) {
  process.stderr.write(
    `masthead-server needs Node.js ${needed} or newer, and this is ${versions.node}.\nRun \`npx masthead-server\` in the repository, which brings its own.\n`,
  )
  process.exitCode = 1
} else {
  // Loaded here, because older versions of Node.js cannot read TypeScript.
  const { main } = await import(pathToFileURL(newestProgram()).href)
  process.stdout.on('error', (error) => {
    // The reader of the output may stop early, as in `masthead-server verify backup | head`.
    if (error.code !== 'EPIPE') throw error
  })
  process.exitCode = await main(process.argv.slice(2), process)
}

/** The built one loads in a third of the time. After an update it is older than its sources until the next start. */
function newestProgram() {
  const folder = fileURLToPath(new URL('..', import.meta.url))
  const built = join(folder, 'dist/operator-commands/masthead-server.js')
  const sources = [join(folder, 'src'), join(folder, '../contract/src')]
  if (existsSync(built) && sources.every((source) => isOlder(source, statSync(built).mtimeMs))) return built
  return join(folder, 'src/operator-commands/masthead-server.ts')
}

function isOlder(source, time) {
  return readdirSync(source, { recursive: true, withFileTypes: true }).every(
    (entry) =>
      !entry.isFile() ||
      entry.name.includes('.test') ||
      statSync(join(entry.parentPath, entry.name)).mtimeMs <= time,
  )
}
