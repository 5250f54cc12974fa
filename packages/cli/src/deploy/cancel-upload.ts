import type { Client } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/problem-error.ts'
import type { Id } from '@masthead/contract/ids.ts'
import { Interrupted } from '../command-error.ts'

/** Milliseconds that somebody who pressed Ctrl-C waits at most for the upload to be cancelled. */
export const cancellingMayTake = 5_000

/** Has the server forget an upload that will not be completed; otherwise it would wait for it for a day. */
export async function cancelUpload(
  client: Client,
  params: { project: string; deployment: Id<'deployment'> },
): Promise<void> {
  try {
    await client.deleteDeployment({ params, signal: AbortSignal.timeout(cancellingMayTake) })
  } catch (error) {
    // Interrupted too late: the last request of the upload was answered with success, to nobody.
    if (error instanceof ProblemError && error.code === 'deployment_active') {
      throw new Interrupted(
        'Interrupted too late: the deployment is live. Run `masthead rollback` to serve the one before.',
      )
    }
  }
}

/** A signal that aborts `ms` after another did. */
export function abortedAfter(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController()
  const abort = () => setTimeout(() => later.abort(signal.reason), ms).unref()
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return later.signal
}
