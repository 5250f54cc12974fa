import type { Command } from './arguments/command.ts'
import { env } from './commands/account/env.ts'
import { invite } from './commands/account/invite.ts'
import { keys } from './commands/account/keys.ts'
import { login, logout, whoami } from './commands/account/login.ts'
import { members } from './commands/account/members.ts'
import { plan } from './commands/account/plan.ts'
import { trust } from './commands/account/trust.ts'
import { usage } from './commands/account/usage.ts'
import { webhooks } from './commands/account/webhooks.ts'
import { api } from './commands/api.ts'
import { ca } from './commands/ca.ts'
import { completionOf } from './commands/completion.ts'
import { deploy } from './commands/deploy.ts'
import { deployments } from './commands/deployments.ts'
import { domains } from './commands/domains.ts'
import { init, link } from './commands/init.ts'
import { lab } from './commands/lab.ts'
import { logs } from './commands/logs.ts'
import { mcp } from './commands/mcp.ts'
import { open, projects } from './commands/projects.ts'
import { protect } from './commands/protect.ts'
import { rollback } from './commands/rollback.ts'
import { rules } from './commands/rules.ts'

/** In the order of the help. */
export const commands: readonly Command[] = [
  deploy,
  init,
  link,
  open,
  projects,
  deployments,
  rollback,
  logs,
  rules,
  protect,
  domains,
  lab,
  ca,
  login,
  logout,
  whoami,
  keys,
  trust,
  webhooks,
  env,
  members,
  invite,
  plan,
  usage,
  mcp,
  api,
  completionOf(() => commands),
]
