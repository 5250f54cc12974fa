import type { Command } from './arguments/command.ts'
import { ca } from './commands/ca.ts'
import { deploy } from './commands/deploy.ts'
import { deployments } from './commands/deployments.ts'
import { domains } from './commands/domains.ts'
import { init } from './commands/init.ts'
import { keys } from './commands/keys.ts'
import { lab } from './commands/lab.ts'
import { login, logout, whoami } from './commands/login.ts'
import { mcp } from './commands/mcp.ts'
import { open, projects } from './commands/projects.ts'
import { protect } from './commands/protect.ts'
import { rollback } from './commands/rollback.ts'
import { rules } from './commands/rules.ts'
import { usage } from './commands/usage.ts'

/** In the order of the help. */
export const commands: readonly Command[] = [
  deploy,
  init,
  open,
  projects,
  deployments,
  rollback,
  rules,
  protect,
  domains,
  lab,
  ca,
  login,
  logout,
  whoami,
  keys,
  usage,
  mcp,
]
