import type { ProblemError } from '@masthead/client/problem-error.ts'
import { plans } from '@masthead/contract/plans.ts'
import type { ProblemCode } from '@masthead/contract/problems.ts'
import { humanDuration } from './human-time.ts'

/** What to do about a problem at a command line, where that is something else than at the API. */
const advice: Partial<Record<ProblemCode, string | ((error: ProblemError, also: string) => string)>> = {
  unauthenticated: 'Run `masthead login`, or set MASTHEAD_KEY to a key that is neither revoked nor expired.',
  not_found: ({ detail }, also) =>
    detail.startsWith('There is no project ')
      ? '`masthead projects` lists what is yours.'
      : `\`masthead projects\` lists what is yours, \`masthead domains${also}\` the names of a project.`,
  // The entries themselves are shown instead.
  invalid_input: (error) => (error.errors.length > 0 ? '' : error.fix),
  hostname_invalid: (error) => error.fix,
  plan_required: planAdvice,
  domain_limit_reached: (error, also) =>
    [
      `Remove one that is no longer needed (\`masthead domains${also}\`), or change to a plan with more`,
      atUpgrade(error),
    ].join(''),
  deployment_required: (_error, also) =>
    `Publish it first with \`masthead deploy${also}\`, then add the domain.`,
  domain_exists: (_error, also) =>
    `\`masthead domains show NAME${also}\` shows its records, \`masthead domains verify NAME${also}\` checks them.`,
  domain_on_other_project: 'Add --move to take it over as it is, or remove it there first.',
  domain_config_changed: 'Nothing was changed. Run the command again.',
  // The sentence says it, with the command that makes way.
  lab_record_invalid: '',
  domain_config_invalid: (error, also) => {
    const unattached = textsIn(error.document.unattached)
    if (unattached.length === 0)
      return `Nothing was changed. \`masthead domains${also}\` lists the names to choose from.`
    return [
      'Add what is missing:',
      ...unattached.map((name) => `  masthead domains add ${name}${also}`),
    ].join('\n')
  },
}

export function adviceFor(error: ProblemError, also: string): string {
  if (error.retryAfterMs !== null && error.code !== 'unauthenticated' && error.code !== 'not_found') {
    const wait = humanDuration(error.retryAfterMs)
    if (error.code === 'key_banned') return `Stop whatever else uses this key, and come back in ${wait}.`
    return `Try again in ${wait}.`
  }
  const own = Object.hasOwn(advice, error.code) ? advice[error.code as ProblemCode] : undefined
  return typeof own === 'function' ? own(error, also) : (own ?? error.fix)
}

function planAdvice(error: ProblemError): string {
  const name = String(error.document.requiredPlan)
  const plan = Object.hasOwn(plans, name) ? plans[name as keyof typeof plans] : null
  if (plan === null) return error.fix
  const { title, customDomains, requestsPerMinute, requestsPerDay } = plan
  const gives =
    customDomains === null || requestsPerMinute === null || requestsPerDay === null
      ? ''
      : `${title} has ${customDomains} custom domains a project, ${requestsPerMinute.toLocaleString('en')} requests ` +
        `a minute and ${requestsPerDay.toLocaleString('en')} a day.\n`
  return `${gives}Change to ${title}${atUpgrade(error)}`
}

function atUpgrade({ document: { upgradeUrl } }: ProblemError): string {
  return typeof upgradeUrl === 'string' ? ` at ${upgradeUrl}` : '.'
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
