import { ProblemError } from '@masthead/client/errors.ts'
import { problemWords } from '../../../../../problem-words.ts'

/** What the dashboard offers to get past a refusal. */
export type NextAction = 'open' | 'move' | 'publish' | 'plan'

export interface AddRefusal {
  what: string
  /** Empty where the way says it. */
  fix: string
  way: NextAction | null
}

/** The fixes of the table of problems are written for programs too; here a button or a link stands for them. */
const nextActions = new Map<string, { fix: string; way: NextAction | null }>([
  ['hostname_invalid', { fix: '', way: null }],
  ['domain_exists', { fix: '', way: 'open' }],
  [
    'domain_on_other_project',
    {
      fix: 'It can move here as it is, with its records and its certificate. Its redirects do not come along.',
      way: 'move',
    },
  ],
  [
    'domain_limit_reached',
    { fix: 'Remove one that is no longer needed, or change to a plan with more.', way: 'plan' },
  ],
  ['deployment_required', { fix: 'Publish it first, then add the domain.', way: 'publish' }],
  ['plan_required', { fix: '', way: 'plan' }],
])

export function addRefusal(error: unknown): AddRefusal {
  const known = error instanceof ProblemError ? nextActions.get(error.code) : undefined
  if (error instanceof ProblemError && known !== undefined) {
    return { what: error.detail, ...known }
  }
  const { what, fix } = problemWords(error)
  return { what, fix, way: null }
}
