import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { CommandError } from './command-error.ts'

/** The newest ready deployment that is older than the active one. Expects them newest first. */
export async function chooseRollback(deployments: AsyncIterable<Deployment>): Promise<Deployment> {
  let isOlder = false
  for await (const deployment of deployments) {
    if (isOlder && deployment.state === 'ready') return deployment
    if (deployment.active) isOlder = true
  }
  if (!isOlder) {
    throw new CommandError('nothing_active', 'Nothing is published yet.', 'Publish with `masthead deploy`.')
  }
  throw new CommandError(
    'nothing_older',
    'There is no older deployment to go back to.',
    'See `masthead deployments`, and name one: `masthead rollback dpl_…`.',
  )
}
