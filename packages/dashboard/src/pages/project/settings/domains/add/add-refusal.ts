import { ProblemError } from '@masthead/client/errors.ts'
import { problemWords } from '../../../../../problem-words.ts'

/** What the dashboard offers when the API rejects a domain. */
export type NextAction = 'open' | 'move' | 'publish' | 'plan'

export interface AddRefusal {
  what: string
  /** Empty if the next action says it. */
  fix: string
  next: NextAction | null
}

/** The API's fixes are written for programs too; here a button or a link replaces them. */
const nextActions = new Map<string, { fix: string; next: NextAction | null }>([
  ['hostname_invalid', { fix: '', next: null }],
  ['domain_exists', { fix: '', next: 'open' }],
  [
    'domain_on_other_project',
    {
      fix: 'You can move it here with its records and certificate. Its redirects are not moved.',
      next: 'move',
    },
  ],
  [
    'domain_limit_reached',
    { fix: 'Remove a domain you no longer need, or upgrade your plan.', next: 'plan' },
  ],
  ['deployment_required', { fix: 'Publish it first, then add the domain.', next: 'publish' }],
  ['plan_required', { fix: '', next: 'plan' }],
])

export function addRefusal(error: unknown): AddRefusal {
  const known = error instanceof ProblemError ? nextActions.get(error.code) : undefined
  if (error instanceof ProblemError && known !== undefined) {
    return { what: error.detail, ...known }
  }
  const { what, fix } = problemWords(error)
  return { what, fix, next: null }
}
