import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { AnswerStep, Explanation, SiteRule } from '@masthead/contract/schemas/site-rule.ts'
import { formatLocation } from '@masthead/contract/site-rules/findings.ts'
import type { CommandResult } from '../arguments/command.ts'
import type { CommandContext } from '../context.ts'
import { usageError } from '../errors/command-error.ts'
import { sanitize } from '../terminal/layout.ts'

/** The order of docs/site-rules.md, in the words of an answer. */
const steps: Record<AnswerStep, string> = {
  challenge: 'a path for challenges of certificate authorities, where no rule applies',
  'domain-redirect': 'a redirect of the domain, in the settings of the project',
  'forced-rule': 'a forced rule',
  file: 'a file of the site',
  rule: 'a rule',
  'html-handling': 'HTML handling: the path that shows the page',
  'not-found': 'the page for what is missing: nothing has this path',
  unavailable:
    'a page of the server: the site is taken down, nothing is published, or the address is too long for its rules',
}

export interface ExplainOptions {
  deployment?: string | undefined
  language?: string | undefined
  country?: string | undefined
}

export async function explain(
  context: CommandContext,
  address: string,
  { deployment, language, country }: ExplainOptions,
): Promise<CommandResult> {
  const url = /^https?:\/\//i.test(address) ? address : `https://${address}`
  if (!URL.canParse(url))
    throw usageError(`"${address}" is not an address.`, 'Give one like https://acme.com/path.')
  if (deployment !== undefined && !/^dpl_[0-9a-z]{20}$/.test(deployment)) {
    throw usageError(
      `"${deployment}" is not a deployment.`,
      'Its id starts with dpl_. See `masthead deployments`.',
    )
  }
  const client = await context.signedIn()
  const query = {
    url,
    ...(deployment !== undefined && { deployment: deployment as Id<'deployment'> }),
    ...(language !== undefined && { language }),
    ...(country !== undefined && { country }),
  }
  const explanation = await client.explainAddress({ query, signal: context.signal })
  return { document: explanation, text: textOf(explanation) }
}

function textOf(explanation: Explanation): string {
  const { project, deployment, status, step, rule, file, headers, settings, passedOver, protection } =
    explanation
  const location = headers.find(({ name }) => name === 'Location')?.value
  const lines = [
    `${status}${location === undefined ? '' : ` to ${location}`}, by ${steps[step]}`,
    ...(rule === null ? [] : [`  ${ruleText(rule)}`]),
    ...(file === null ? [] : [`  shows ${file}`]),
    ...protection.map(
      (one) =>
        `  asks for a password first (${one.file === null ? 'settings of the project' : formatLocation({ ...one, file: one.file })}), with status 401`,
    ),
    `  ${project}, ${deployment ?? 'nothing published'}`,
  ]
  const ruled = headers.filter(({ from }) => from.length > 0)
  if (ruled.length > 0) lines.push('', 'Headers from rules:')
  for (const { name, value, from } of ruled)
    lines.push(`  ${name}: ${value}  (${from.map(formatLocation).join(', ')})`)
  if (settings.length > 0) lines.push('', 'Settings of this deployment:')
  for (const one of settings) lines.push(`  ${one.name} ${one.to}  (${formatLocation(one)})`)
  if (passedOver.length > 0) lines.push('', 'Rules that did not apply:')
  for (const one of passedOver) lines.push(`  ${ruleText(one.rule)}`, `    ${one.why}`)
  return lines.map((line) => sanitize(line, 500)).join('\n')
}

function ruleText(rule: SiteRule): string {
  const { from, to, status, force, query, languages, countries } = rule
  const conditions = [
    ...query.map(({ name, value }) => `${name}=${value}`),
    ...(languages.length > 0 ? [`Language=${languages.join(',')}`] : []),
    ...(countries.length > 0 ? [`Country=${countries.join(',')}`] : []),
  ]
  return [`${formatLocation(rule)}:`, from, ...conditions, to, `${status}${force ? '!' : ''}`].join(' ')
}
