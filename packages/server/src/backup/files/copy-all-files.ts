import type { BlobStore } from '../../blobs/blob-store.ts'
import { OperatorError } from '../../kernel/program/process-lifetime.ts'
import type { ProgressReport } from '../progress-report.ts'
import { type CopyResult, copyFile, type FileToCopy, pathOf } from './copy-files.ts'
import type { FileTotals } from './installed-files.ts'

/** Enough to keep a disk or a network busy, few enough to be held in memory. */
const atOnce = 16
export const shownFaults = 20

/** Copies everything that is not there yet. Files that cannot be copied fail it at the end, unless they may be left out. */
export async function copyAllFiles(
  files: AsyncIterable<FileToCopy>,
  target: BlobStore,
  { files: total, bytes }: FileTotals,
  { progress, leaveDamaged }: { progress: ProgressReport; leaveDamaged: boolean },
): Promise<void> {
  const step = progress.begin({ title: 'Copying files', unit: 'files', total, bytes })
  const faults: string[] = []
  await forEachOf(files, atOnce, async (file) => {
    const result = await copyFile(target, file)
    if (isFault(result) && file.isRequired) faults.push(`  ${pathOf(file)} is ${result}`)
    const isForm = file.kind === 'blob' && file.key.encoding !== undefined
    if (!isForm && file.isRequired) step.advance(1, file.kind === 'blob' ? file.size : 0)
  })
  step.end()
  if (faults.length > 0 && !leaveDamaged) throw new OperatorError(faultText(faults))
}

function isFault(result: CopyResult): boolean {
  return result === 'missing' || result === 'damaged'
}

/** The first ones, and how many more there are. */
export function shortList(lines: readonly string[], total = lines.length): string[] {
  const more = total > shownFaults ? [`  and ${total - shownFaults} more`] : []
  return [...lines.slice(0, shownFaults), ...more]
}

function faultText(faults: readonly string[]): string {
  return [
    faults.length === 1 ? 'One file could not be copied:' : `${faults.length} files could not be copied:`,
    ...shortList(faults),
    'Restore them from a backup and run this again. Or run it with --leave-damaged: their addresses are then broken',
    'until you run masthead-server check-files and they are published again.',
  ].join('\n')
}

/** Like `forEachConcurrently`, for what is found while it runs. */
export async function forEachOf<T>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  const failures: unknown[] = []
  for await (const item of items) {
    if (failures.length > 0) break
    const task = work(item)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(task))
    running.add(task)
    if (running.size >= most) await Promise.race(running)
  }
  await Promise.all(running)
  if (failures.length > 0) throw failures[0]
}
