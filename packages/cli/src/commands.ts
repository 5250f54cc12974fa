import type { Command } from './command.ts'
import { ca } from './commands/ca.ts'
import { deploy } from './commands/deploy.ts'
import { deployments } from './commands/deployments.ts'
import { domains } from './commands/domains.ts'
import { init } from './commands/init.ts'
import { keys } from './commands/keys.ts'
import { lab } from './commands/lab.ts'
import { login } from './commands/login.ts'
import { logout } from './commands/logout.ts'
import { open } from './commands/open.ts'
import { projects } from './commands/projects.ts'
import { rollback } from './commands/rollback.ts'
import { usage } from './commands/usage.ts'
import { whoami } from './commands/whoami.ts'

/** Every command, in the order in which the help shows them. */
export const commands: readonly Command[] = [
  deploy,
  init,
  open,
  projects,
  deployments,
  rollback,
  domains,
  lab,
  ca,
  login,
  logout,
  whoami,
  keys,
  usage,
]
