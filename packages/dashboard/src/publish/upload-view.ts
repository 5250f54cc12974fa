import { ProblemError } from '@masthead/client/errors.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import type { FileProgress, UploadProgress } from './progress.ts'
import type { SiteUpload } from './site.ts'

/** The answer to the last request was lost, and asking for the deployment failed too. */
export class UnclearOutcomeError extends Error {
  override readonly name = 'UnclearOutcomeError'

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'The connection was lost.', { cause })
  }
}

export type PublishingStep = 'hashing' | 'sending' | 'finishing'

export type UploadStep = PublishingStep | 'done' | 'failed' | 'cancelled'

/** A snapshot of an upload for rendering, small however many files there are. */
export interface UploadView {
  step: UploadStep
  kind: SiteUpload['kind']
  progress: UploadProgress
  /** The few files worth showing. */
  shown: readonly FileProgress[]
  /** Why the upload stopped; null if only single files failed, which carry their own message. */
  error: unknown
  deployment: Deployment | null
  goesLive: boolean
  /** Files failed that only choosing the folder again can open. */
  needsFolder: boolean
}

/** The progress of the current step, from 0 to 1. */
export const stepFraction = ({ step, progress }: Pick<UploadView, 'step' | 'progress'>): number =>
  step === 'hashing' ? progress.hashedFraction : progress.fraction

export const isRunning = ({ step }: { step: UploadStep }): boolean =>
  step === 'hashing' || step === 'sending' || step === 'finishing'

/** The server would reject the same invalid upload again, and the browser the same changed file. */
export function canRetry({
  step,
  error,
  needsFolder,
}: Pick<UploadView, 'step' | 'error' | 'needsFolder'>): boolean {
  if (step === 'cancelled') return true
  const refused = error instanceof ProblemError && [400, 413, 415, 422].includes(error.status)
  return step === 'failed' && !refused && !needsFolder
}

export function filesWord(count: number): string {
  return count === 1 ? '1 file' : `${count.toLocaleString('en')} files`
}

/** "312 files, 4.5 MB" */
export function siteWords(site: SiteUpload): string {
  return site.kind === 'archive'
    ? `archive, ${formatBytes(site.file.size)}`
    : `${filesWord(site.files.length)}, ${formatBytes(site.bytes)}`
}

export interface UploadWords {
  /** Changes only with the step, so that screen readers can announce it. */
  title: string
  detail: string
}

export function uploadWords(view: UploadView): UploadWords {
  const { step, kind, progress, error, deployment, goesLive, needsFolder } = view
  const { files, bytes, counts, filesThere, bytesThere } = progress
  const size = `${formatBytes(bytesThere)} of ${formatBytes(bytes)}`
  switch (step) {
    case 'hashing':
      return {
        title: 'Hashing files',
        detail: `${(files - counts.waiting - counts.hashing).toLocaleString('en')} of ${filesWord(files)}, so that only new ones are uploaded`,
      }
    case 'sending': {
      if (kind === 'archive') return { title: 'Uploading archive', detail: size }
      const there = counts.there === 0 ? '' : ` · ${counts.there.toLocaleString('en')} unchanged`
      const detail = `${filesThere.toLocaleString('en')} of ${filesWord(files)}, ${size}${there}`
      return { title: 'Uploading files', detail }
    }
    case 'finishing':
      return {
        title: goesLive ? 'Going live' : 'Finishing',
        detail: kind === 'archive' ? 'Unpacking and checking' : `All ${filesWord(files)} uploaded`,
      }
    case 'done':
      return {
        title: deployment?.active === false ? 'Preview ready, not live' : 'Published',
        detail: kind === 'archive' ? formatBytes(bytes) : sentWords(progress),
      }
    case 'cancelled':
      return { title: 'Cancelled', detail: 'Nothing was published. The live site has not changed.' }
    case 'failed':
      if (error instanceof UnclearOutcomeError) {
        const known = goesLive
          ? 'while going live, so the new version may be live already'
          : 'in the last step, so the preview may be ready already'
        const detail = `The connection was lost ${known}. Trying again sends nothing twice.`
        return { title: 'Connection lost', detail }
      }
      return {
        title: 'Not published',
        detail:
          error === null
            ? `${filesWord(counts.failed)} could not be uploaded. The live site has not changed. ${needsFolder ? 'Choose' : 'Try again, or choose'} the folder again.`
            : 'The live site has not changed.',
      }
  }
}

function sentWords({ files, bytes, counts }: UploadView['progress']): string {
  const all = `${filesWord(files)}, ${formatBytes(bytes)}`
  if (counts.there === 0) return all
  if (counts.sent === 0) return `${all} · all unchanged`
  return `${all} · ${counts.sent.toLocaleString('en')} uploaded, ${counts.there.toLocaleString('en')} unchanged`
}
