import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dashboardFolder } from './build/dashboard.ts'
import { viteProgram } from './build/run-build.ts'
import { build } from './build.ts'
import { repositoryRoot } from './repository.ts'

await build()

const watchers = [
  ['--watch', '--watch-preserve-output', join(repositoryRoot, 'packages/server/src/start/main.ts')],
]
if (existsSync(join(dashboardFolder, 'vite.config.ts'))) {
  watchers.push([viteProgram, 'build', dashboardFolder, '--watch', '--logLevel', 'warn'])
}
const children = watchers.map((args) =>
  spawn(process.execPath, args, { cwd: repositoryRoot, stdio: 'inherit' }),
)

const stopAll = () => {
  for (const child of children) child.kill('SIGTERM')
}
process.once('SIGINT', stopAll)
process.once('SIGTERM', stopAll)
await Promise.race(children.map((child) => once(child, 'exit')))
stopAll()
