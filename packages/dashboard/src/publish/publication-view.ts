import { ProblemError } from '@masthead/client/errors.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { fileSize } from '../ui/file-size.ts'
import type { FileProgress, UploadProgress } from './progress.ts'
import type { SiteUpload } from './site.ts'

export type PublishingStep = 'hashing' | 'sending' | 'finishing'

export type PublicationStep = PublishingStep | 'done' | 'failed' | 'cancelled'

/** A publication at one moment, small however many files it has. */
export interface PublicationView {
  step: PublicationStep
  kind: SiteUpload['kind']
  progress: UploadProgress
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
export function canRetry({ step, error }: Pick<PublicationView, 'step' | 'error'>): boolean {
  if (step === 'cancelled') return true
  const refused = error instanceof ProblemError && [400, 413, 415, 422].includes(error.status)
  return step === 'failed' && !refused
}

export function filesWord(count: number): string {
  return count === 1 ? '1 file' : `${count.toLocaleString('en')} files`
}

/** What is about to be published: "312 files, 4.5 MB". */
export function siteWords(site: SiteUpload): string {
  return site.kind === 'archive'
    ? `archive, ${fileSize(site.file.size)}`
    : `${filesWord(site.files.length)}, ${fileSize(site.bytes)}`
}

export interface PublicationWords {
  /** Changes with the step only, so that it can be read out. */
  title: string
  /** How far it is. */
  detail: string
}

export function publicationWords(view: PublicationView): PublicationWords {
  const { step, kind, progress, error, deployment, goesLive } = view
  const { files, bytes, counts, filesThere, bytesThere } = progress
  const size = `${fileSize(bytesThere)} of ${fileSize(bytes)}`
  switch (step) {
    case 'hashing':
      return {
        title: 'Hashing files',
        detail: `${(files - counts.waiting - counts.hashing).toLocaleString('en')} of ${filesWord(files)}, to send only what is new`,
      }
    case 'sending': {
      if (kind === 'archive') return { title: 'Sending the archive', detail: size }
      const there = counts.there === 0 ? '' : ` · ${counts.there.toLocaleString('en')} there already`
      const detail = `${filesThere.toLocaleString('en')} of ${filesWord(files)}, ${size}${there}`
      return { title: 'Sending files', detail }
    }
    case 'finishing':
      return {
        title: goesLive ? 'Making it live' : 'Finishing',
        detail: kind === 'archive' ? 'The server unpacks and checks it' : `All ${filesWord(files)} are there`,
      }
    case 'done':
      return {
        title: deployment?.active === false ? 'Ready as a preview, not live' : 'Published',
        detail: kind === 'archive' ? fileSize(bytes) : sentWords(progress),
      }
    case 'cancelled':
      return { title: 'Cancelled', detail: 'Nothing was published; what is served has not changed.' }
    case 'failed':
      return {
        title: 'Not published',
        detail:
          error === null
            ? `${filesWord(counts.failed)} could not be sent; what is served has not changed. Try again, or choose the folder again.`
            : 'What is served has not changed.',
      }
  }
}

function sentWords({ files, bytes, counts }: PublicationView['progress']): string {
  const all = `${filesWord(files)}, ${fileSize(bytes)}`
  if (counts.there === 0) return all
  if (counts.sent === 0) return `${all} · all there already`
  return `${all} · ${counts.sent.toLocaleString('en')} sent, ${counts.there.toLocaleString('en')} there already`
}
