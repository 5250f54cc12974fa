import { problems } from '@masthead/contract/problems.ts'
import type { UploadLimits } from '@masthead/contract/upload-limits.ts'
import { CommandError } from '../command-error.ts'
import { count, humanSize } from '../human-size.ts'

/** Refused here before anything is read or sent; the server looks again. */
export function assertFileFits({ path, size }: { path: string; size: number }, limits: UploadLimits): void {
  if (size <= limits.bytesPerFile) return
  throw tooMuch(
    'file_too_large',
    `${path.slice(1)} has ${humanSize(size)}; a file may have ${humanSize(limits.bytesPerFile)}.`,
  )
}

export function assertCountFits(number: number, noun: 'file' | 'folder', limits: UploadLimits): void {
  if (number <= limits.files) return
  const most = count(limits.files, noun)
  throw tooMuch('too_many_files', `There are more than ${most}, the most that one deployment may have.`)
}

export function assertBytesFit(bytes: number, limits: UploadLimits): void {
  if (bytes <= limits.bytesPerDeployment) return
  throw tooMuch(
    'deployment_too_large',
    `The folder has ${humanSize(bytes)}; a deployment may have ${humanSize(limits.bytesPerDeployment)}.`,
  )
}

function tooMuch(code: 'file_too_large' | 'too_many_files' | 'deployment_too_large', message: string) {
  return new CommandError(code, message, problems[code].fix)
}
