import type { Retry } from '@masthead/client/client.ts'
import {
  ConnectionError,
  EndlessListError,
  LostAnswerError,
  ParameterError,
  ProblemError,
  UnexpectedAnswerError,
} from '@masthead/client/errors.ts'
import { shellName } from '@masthead/contract/domains/shell-name.ts'
import { plans } from '@masthead/contract/plans.ts'
import type { ProblemCode } from '@masthead/contract/problems.ts'
import { formatDuration } from '../terminal/format.ts'
import { CommandError, type Exit, Interrupted } from './command-error.ts'
import { isOnThisMachine } from './on-this-machine.ts'
import { describeUnreachable, hasInvalidHeader } from './unreachable.ts'

/** Fixes for problems where the API's own fix does not suit the command line. */
const advice: Partial<Record<ProblemCode, string | ((error: ProblemError, also: string) => string)>> = {
  unauthenticated: 'Run `masthead login`, or set MASTHEAD_KEY to a key that is neither revoked nor expired.',
  token_refused: 'An owner of the account sees with `masthead trust` which pipelines can deploy.',
  branch_refused:
    'Add --no-activate, and leave out --branch, to publish a preview. To go live, an owner names the branch or an environment in `masthead trust add`.',
  not_found: notFoundAdvice,
  // The field errors are printed instead.
  invalid_input: (error) => (error.errors.length > 0 ? '' : error.fix),
  hostname_invalid: (error) => error.fix,
  plan_required: planAdvice,
  domain_limit_reached: (error, also) =>
    [
      `Remove one that you no longer need (\`masthead domains${also}\`), or change to a plan with more`,
      upgradeLink(error),
    ].join(''),
  deployment_required: (_error, also) =>
    `Publish it first with \`masthead deploy${also}\`, then add the domain.`,
  deployment_not_active: (_error, also) =>
    `See it with \`masthead deployments${also}\`, then run the command again.`,
  domain_exists: (_error, also) =>
    `\`masthead domains show NAME${also}\` shows its records, \`masthead domains verify NAME${also}\` checks them.`,
  domain_on_other_project: 'Add --move to move it here, or remove it there first.',
  domain_config_changed: 'Run the command again.',
  // The message itself contains the command.
  lab_record_invalid: '',
  domain_config_invalid: (error, also) => {
    const unattached = stringsIn(error.document.unattached)
    if (unattached.length === 0) return `Run \`masthead domains${also}\` to list the domains of the project.`
    return [
      'Add the missing domains first:',
      ...unattached.map((name) => `  masthead domains add ${shellName(name)}${also}`),
    ].join('\n')
  },
}

function adviceFor(error: ProblemError, also: string): string {
  if (error.retryAfterMs && error.code !== 'unauthenticated' && error.code !== 'not_found') {
    const wait = formatDuration(error.retryAfterMs)
    if (error.code === 'key_banned') return `Stop whatever else uses this key, and try again in ${wait}.`
    return `Try again in ${wait}.`
  }
  const own = Object.hasOwn(advice, error.code) ? advice[error.code as ProblemCode] : undefined
  return typeof own === 'function' ? own(error, also) : (own ?? error.fix)
}

/** What lists the things of this kind. */
const listedBy: Record<string, (also: string) => string> = {
  project: () => 'Run `masthead projects` to list your projects.',
  deployment: (also) => `Run \`masthead deployments${also}\` to list the deployments of the project.`,
  domain: (also) => `Run \`masthead domains${also}\` to list the domains of the project.`,
  key: () => 'Run `masthead keys` to list your API keys.',
  webhook: () => 'Run `masthead webhooks` to list your webhooks.',
  delivery: () => 'Run `masthead webhooks deliveries ID` to list what a webhook sent.',
  'trusted publisher': () => 'Run `masthead trust` to list the pipelines that can deploy.',
  member: () => 'Run `masthead members` to list the members of the account.',
  invitation: () => 'Run `masthead invite` to list the open invitations.',
}

function notFoundAdvice({ detail }: ProblemError, also: string): string {
  if (detail.startsWith('There is nothing at ')) return '/docs/api of the server lists every request.'
  const kinds = Object.keys(listedBy).join('|')
  const missing = new RegExp(
    `^(?:There is|The project \\S+ has) no (${kinds}) |is not a valid (${kinds})\\.$`,
  )
  const [, absent, invalid] = missing.exec(detail) ?? []
  const kind = absent ?? invalid ?? ''
  return (
    listedBy[kind]?.(also) ??
    `Run \`masthead projects\` to list your projects, or \`masthead domains${also}\` to list the domains of one.`
  )
}

function planAdvice(error: ProblemError): string {
  const name = String(error.document.requiredPlan)
  const plan = Object.hasOwn(plans, name) ? plans[name as keyof typeof plans] : null
  if (plan === null) return error.fix
  const { title, customDomains, requestsPerMinute, requestsPerDay } = plan
  const gives =
    customDomains === null || requestsPerMinute === null || requestsPerDay === null
      ? ''
      : `${title} has ${customDomains} custom domains per project, ${requestsPerMinute.toLocaleString('en')} requests ` +
        `per minute and ${requestsPerDay.toLocaleString('en')} per day.\n`
  return `${gives}Change to ${title}${upgradeLink(error)}`
}

function upgradeLink({ document: { upgradeUrl } }: ProblemError): string {
  return typeof upgradeUrl === 'string' ? ` at ${upgradeUrl}` : '.'
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** An error as printed for people and, with --json, for programs. */
export interface FailureReport {
  exit: Exit
  /** What happened, then what to do. */
  sentences: string[]
  /** Set for server errors, to quote to the operator. */
  requestId: string | null
  document: Record<string, unknown>
}

/** `also` is appended to suggested commands. */
export function describeFailure(error: unknown, also = ''): FailureReport {
  if (error instanceof ProblemError) return describeProblem(error, also)
  if (error instanceof CommandError) return localFailure(error.exit, error.code, error.message, error.fix)
  if (error instanceof Interrupted) return localFailure('interrupted', 'interrupted', error.message, '')
  if (error instanceof ConnectionError && hasInvalidHeader(error)) {
    const message = 'The request cannot be sent: a header has characters that HTTP does not allow.'
    return localFailure(
      'usage',
      'usage',
      message,
      'Use only the characters of ASCII in options such as --type.',
    )
  }
  if (error instanceof ConnectionError) {
    const { tried, fix } = describeUnreachable(error, isOnThisMachine(error.server))
    return localFailure('unreachable', 'unreachable', [error.message, tried].filter(Boolean).join('\n'), fix)
  }
  if (error instanceof ParameterError) return localFailure('usage', 'usage', `${error.message}.`, '')
  if (error instanceof LostAnswerError) return localFailure('failed', 'answer_lost', `${error.message}.`, '')
  if (error instanceof EndlessListError) {
    const fix = 'Try again later, and tell your operator if it happens again.'
    return localFailure('failed', 'endless_list', `${error.message}.`, fix)
  }
  if (error instanceof UnexpectedAnswerError) {
    return localFailure(
      'failed',
      'unexpected_answer',
      `${error.message}.`,
      'Check --server and MASTHEAD_SERVER.',
    )
  }
  const message = error instanceof Error ? error.message : String(error)
  return localFailure('failed', 'internal', `Something went wrong in masthead itself: ${message}`, '')
}

function localFailure(exit: Exit, code: string, detail: string, fix: string): FailureReport {
  const document = { type: 'about:blank', title: detail, detail, code, ...(fix === '' ? {} : { fix }) }
  return { exit, sentences: [detail, fix].filter(Boolean), requestId: null, document }
}

function describeProblem(error: ProblemError, also: string): FailureReport {
  const denied = error.status === 401 || error.status === 403
  const fix = adviceFor(error, also)
  const faults = error.errors
    .filter((fault) => !isRepeated(error.detail, fault))
    .map(({ path, message }) => `${path || 'The body'}: ${message}`)
  return {
    exit: denied ? 'denied' : 'failed',
    sentences: [error.detail, ...faults, fix].filter(Boolean),
    requestId: error.status >= 500 ? error.requestId : null,
    document: { ...error.document, ...(fix === '' ? {} : { fix }) },
  }
}

/** Whether the message already says the same as the field error. */
function isRepeated(detail: string, { path, message }: { path: string; message: string }): boolean {
  const subject = path || 'the body'
  const said = [message, `${message}.`, `${subject} ${message}.`, `the ${subject} ${message}.`]
  return said.some((text) => text.toLowerCase() === detail.toLowerCase())
}

const worthMentioningMs = 2000

/** The note printed before a retry; null if the wait is too short to notice. */
export function retryNote({ waitMs, error }: Pick<Retry, 'waitMs' | 'error'>): string | null {
  if (waitMs < worthMentioningMs) return null
  const isLimit = error instanceof ProblemError && error.code === 'rate_limited'
  const why = isLimit ? firstSentence(error.detail) : 'The server asked us to wait.'
  return `${why} Retrying in ${formatDuration(waitMs)}.`
}

/** Later sentences name the wait without the jitter that is added to it. */
function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}
