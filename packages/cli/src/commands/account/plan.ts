import { isCustomPlan, type PlanName, planNames, plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { type CommandResult, command } from '../../arguments/command.ts'
import type { CommandContext } from '../../context.ts'
import { CommandError, usageError } from '../../errors/command-error.ts'
import { confirm } from '../../terminal/ask.ts'
import { formatNumber } from '../../terminal/format.ts'
import { alignColumns } from '../../terminal/layout.ts'

export const plan = command({
  name: 'plan',
  summary: 'Show or change the plan of the account',
  usage: ['plan', 'plan set PLAN [--suspend-domains]'],
  about: [
    'A plan with fewer domains suspends those that are too many, if you allow it with --suspend-domains.',
  ],
  options: {
    'suspend-domains': { type: 'boolean', help: 'set: suspend the domains that the plan does not include' },
  },
  examples: [
    ['masthead plan', 'the plan and its limits'],
    ['masthead plan set pro', 'change it'],
  ],
  words: 2,
  async run(context, values, [verb, word]) {
    if (verb === undefined) {
      const client = await context.signedIn()
      return shown(await client.getAccount({ signal: context.signal }))
    }
    const chosen = planNames.find((name) => name === word && !isCustomPlan(name))
    if (verb !== 'set' || chosen === undefined) {
      const choices = planNames.filter((name) => !isCustomPlan(name)).join(', ')
      throw usageError(
        'That is not a plan to choose.',
        `Use \`masthead plan set PLAN\` with one of ${choices}.`,
      )
    }
    return change(context, chosen, values['suspend-domains'] === true)
  },
})

async function change(
  context: CommandContext,
  chosen: PlanName,
  suspendDomains: boolean,
): Promise<CommandResult> {
  const client = await context.signedIn()
  const question = `Change to the plan ${plans[chosen].title}?`
  if (!(await confirm(question, context))) throw new CommandError('kept', 'The plan was not changed.', '')
  const body = { plan: chosen, suspendDomains }
  return shown(await client.changePlan({ body, signal: context.signal }))
}

function shown(account: Account): CommandResult {
  const { name, plan, limits } = account
  const domains = limits.domainsPerProject
  const rows = [
    ['Account', name],
    ['Plan', plans[plan].title],
    ['Requests', `${formatNumber(limits.perMinute)} per minute, ${formatNumber(limits.perDay)} per day`],
    ['Domains', domains === null ? 'unlimited' : `${formatNumber(domains)} per project`],
    ['Storage', formatBytes(limits.storageBytes)],
  ]
  return { document: account, text: alignColumns(rows).join('\n') }
}
