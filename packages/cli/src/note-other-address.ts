import type { Project } from '@masthead/contract/schemas/project.ts'
import type { Output } from './output.ts'

/** Beside the address for people, which stands alone on standard output, the one that every project keeps. */
export function noteOtherAddress(
  { url, primaryUrl }: Pick<Project, 'url' | 'primaryUrl'>,
  out: Output,
): void {
  if (url !== primaryUrl) out.note(`Its default subdomain is ${url}`)
}
