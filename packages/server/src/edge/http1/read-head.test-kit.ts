import type { Fields } from './header-section.ts'
import type { RecentSections } from './recent-sections.ts'
import { readRequestHead } from './request-head.ts'

const unknownAddress = () => undefined

/** `recent`: what its connection sent before. */
export function readHead(
  text: string,
  end: number = text.length,
  recent: RecentSections<Fields> | null = null,
) {
  const bytes = Buffer.from(text, 'latin1')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return readRequestHead(bytes, view, 0, end, unknownAddress, null, recent)
}
