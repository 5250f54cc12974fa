import { ProblemError } from '@masthead/client/problem-error.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { FileProgress, Progress } from './progress.ts'
import type { Site } from './site.ts'

export type PublishingStep = 'hashing' | 'sending' | 'finishing'

export type PublicationStep = PublishingStep | 'done' | 'failed' | 'cancelled'

/** A publication at one moment, small however many files it has. */
export interface PublicationView {
  step: PublicationStep
  kind: Site['kind']
  progress: Progress
  /** The few files worth showing. */
  shown: readonly FileProgress[]
  /** Why all of it stopped; null where single files failed, which say so themselves. */
  error: unknown
  deployment: Deployment | null
  /** Whether it is to be served at once. */
  goesLive: boolean
}

/** How far the step is that is under way, from 0 to 1. */
export const stepFraction = ({ step, progress }: Pick<PublicationView, 'step' | 'progress'>): number =>
  step === 'hashing' ? progress.hashedFraction : progress.fraction

export const isRunning = ({ step }: { step: PublicationStep }): boolean =>
  step === 'hashing' || step === 'sending' || step === 'finishing'

/** Whether the same again could end otherwise; what the server refuses as it is, it refuses again. */
export function mayRetry({ step, error }: Pick<PublicationView, 'step' | 'error'>): boolean {
  if (step === 'cancelled') return true
  const refused = error instanceof ProblemError && [400, 413, 415, 422].includes(error.status)
  return step === 'failed' && !refused
}
