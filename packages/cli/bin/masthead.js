#!/usr/bin/env node
import { cacheFolder } from './user-folders.js'

const needed = 24
const { versions, env } = process
if (Number(versions.node.split('.')[0]) < needed) {
  process.stderr.write(
    `masthead needs Node.js ${needed} or newer, and this is ${versions.node}.\nUpdate Node.js, or run \`npx masthead\` in the repository, which brings its own.\n`,
  )
  process.exitCode = 1
} else {
  // Loaded here, because older versions of Node.js have neither this function nor TypeScript support.
  const { enableCompileCache } = await import('node:module')
  const cache = cacheFolder(env)
  if (cache !== null) enableCompileCache(cache)
  const { main } = await import('../src/main.ts')
  process.exitCode = await main(process, import.meta.url)
}
