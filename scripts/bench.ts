import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build, builtPrograms } from './build.ts'
import { repositoryRoot } from './repository.ts'

/** `npm run bench -- edge-http2 deploy` runs two of them. */
await build()
const measuring = spawn(process.execPath, [join(repositoryRoot, 'bench/run.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, ...builtPrograms },
})
const [exitCode] = await once(measuring, 'exit')
process.exitCode = exitCode ?? 1
