#!/usr/bin/env node
import * as module from 'node:module'
import { cacheFolder } from './user-folders.js'

const oldest = 20
const { versions, env } = process
if (Number(versions.node.split('.')[0]) < oldest) {
  process.stderr.write(
    `masthead needs Node.js ${oldest} or newer, and this is ${versions.node}. Update Node.js.\n`,
  )
  process.exitCode = 1
} else {
  // Needs Node.js 22.8, and covers only what is imported afterwards.
  const cache = cacheFolder(env)
  if (cache !== null) module.enableCompileCache?.(cache)
  const { main } = await import('./program.js')
  process.exitCode = await main(process, import.meta.url)
}
