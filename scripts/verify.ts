import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { repositoryRoot } from './repository.ts'

const node = process.execPath
const program = (name: string) => join(repositoryRoot, 'node_modules/.bin', name)

/** Each checks much that the others check too: with four on two cores, the usual number, types took twice the time. */
const checkers = Math.ceil(availableParallelism() / 4)

/** Incremental, so that the next run checks only what changed. */
function checkTypes(project: string, cache: string): [string, ...string[]] {
  const file = join(repositoryRoot, `node_modules/.cache/${cache}.tsbuildinfo`)
  const options = ['--checkers', String(checkers), '--incremental', '--tsBuildInfoFile', file]
  return [program('tsc'), '-p', project, ...options]
}

/** Every static check, the most telling first. */
const checks: readonly { name: string; command: readonly [string, ...string[]] }[] = [
  { name: 'types', command: checkTypes('.', 'types') },
  { name: 'types of the command line', command: checkTypes('packages/cli', 'cli-types') },
  { name: 'types of the dashboard', command: checkTypes('packages/dashboard', 'dashboard-types') },
  { name: 'lint and format', command: [program('biome'), 'ci', '--colors=off'] },
  { name: 'direction of imports', command: [node, 'scripts/check-imports.ts'] },
  { name: 'documents', command: [node, 'scripts/check-docs.ts'] },
  { name: 'names and habits', command: [node, 'scripts/check-tree.ts'] },
]

/** Runs all checks even if one fails, and returns whether all passed. */
export async function verify(): Promise<boolean> {
  let allPassed = true
  for (const { name, command } of checks) {
    const start = performance.now()
    const { passed, output } = await run(command)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`${passed ? '✓' : '✗'} ${name} (${seconds} s)`)
    if (!passed) console.log(output.trimEnd().replace(/^/gm, '  '))
    allPassed &&= passed
  }
  return allPassed
}

/** The compiler frees next to nothing before its end; looking for what it could free takes a quarter of its time. */
const withoutCollection = { GOGC: 'off' }

async function run([file, ...args]: readonly [string, ...string[]]): Promise<{
  passed: boolean
  output: string
}> {
  if (!existsSync(file)) return { passed: false, output: `${file} is missing; run npm ci` }
  const env = { ...withoutCollection, ...process.env }
  const child = spawn(file, args, { cwd: repositoryRoot, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await ended
  return { passed: status === 0, output: output + errors }
}

if (import.meta.main && !(await verify())) process.exitCode = 1
