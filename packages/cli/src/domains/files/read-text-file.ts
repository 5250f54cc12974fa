import { readFile, stat } from 'node:fs/promises'
import { decodeText } from '@masthead/contract/text/decode-text.ts'
import { CommandError } from '../../errors/command-error.ts'

/** A file that a person named. A wrong one, such as a disk image, is not read into memory. */
export async function readTextFile(file: string, largestBytes: number): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size <= largestBytes) return decodeText(await readFile(file))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new CommandError(
      'file_unreadable',
      `${file} cannot be read (${code}).`,
      'Check the path.',
      'failed',
      cause,
    )
  }
  throw new CommandError(
    'file_too_large',
    `${file} is larger than ${largestBytes / 1024} KiB.`,
    'Check the path.',
  )
}
