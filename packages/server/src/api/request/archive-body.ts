import type { ArchiveFormat } from '../../deployments/archive/archive.ts'
import { Problem } from '../../kernel/problem.ts'

const nameInTar = { from: 257, bytes: Buffer.from('ustar') }
/** As much as is needed to tell archives apart. */
const startLength = nameInTar.from + nameInTar.bytes.length

/** `PK`, and that a file or the end of an empty archive follows. */
const zipStarts = [0x50_4b_03_04, 0x50_4b_05_06]

const typeToSend: Record<ArchiveFormat, string> = {
  'tar.gz': 'application/gzip',
  tar: 'application/x-tar',
  zip: 'application/zip',
}
const anyFormat = Object.keys(typeToSend) as ArchiveFormat[]

/** The body as it is. Throws if it starts as an archive of another format than it was sent as. */
export async function* archiveBody(
  body: AsyncIterable<Uint8Array>,
  sentAs: ArchiveFormat,
  accepted: readonly ArchiveFormat[] = anyFormat,
): AsyncGenerator<Uint8Array, void> {
  let start: Buffer | null = Buffer.alloc(0)
  for await (const chunk of body) {
    if (start === null) {
      yield chunk
      continue
    }
    start = start.length === 0 ? Buffer.from(chunk) : Buffer.concat([start, chunk])
    if (start.length < startLength) continue
    refuseOtherFormat(start, sentAs, accepted)
    yield start
    start = null
  }
  if (start === null) return
  refuseOtherFormat(start, sentAs, accepted)
  yield start
}

/** Null if it does not look like an archive. Older tars cannot be recognized. */
export function formatOf(start: Uint8Array): ArchiveFormat | null {
  const bytes = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, startLength))
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'tar.gz'
  if (bytes.length >= 4 && zipStarts.includes(bytes.readUInt32BE(0))) return 'zip'
  return bytes.subarray(nameInTar.from).equals(nameInTar.bytes) ? 'tar' : null
}

/** Says how to send an archive. */
export function sendAs(format: ArchiveFormat): string {
  return `Send it as ${typeToSend[format]}.`
}

function refuseOtherFormat(
  start: Uint8Array,
  sentAs: ArchiveFormat,
  accepted: readonly ArchiveFormat[],
): void {
  const format = formatOf(start)
  if (format === null || format === sentAs) return
  const remedy = accepted.includes(format)
    ? sendAs(format)
    : `Send ${accepted.map((one) => `a ${one} as ${typeToSend[one]}`).join(', or ')}.`
  throw new Problem('archive_invalid', `This is a ${format}, and not a ${sentAs}. ${remedy}`)
}
