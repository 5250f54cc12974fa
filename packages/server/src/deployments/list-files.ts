import type { Page } from '@masthead/contract/schemas/page.ts'
import { type PageRequest, readCursor, toPage } from '../database/page.ts'
import type { DeploymentContext } from './context.ts'
import { readManifest } from './manifest-document.ts'
import type { DeploymentRow } from './store.ts'

export interface ListedFile {
  path: string
  sha256: string
  size: number
}

/** The files of a deployment, by path. */
export async function listFiles(
  { blobs }: Pick<DeploymentContext, 'blobs'>,
  deployment: DeploymentRow,
  { cursor, limit }: PageRequest,
): Promise<Page<ListedFile>> {
  const after = readCursor(cursor)
  const manifest = (await readManifest(blobs, deployment.id)) ?? new Map()
  const paths = [...manifest.keys()].sort().filter((path) => after === undefined || path > after)
  const files = paths.slice(0, limit + 1).map((path) => ({ path, ...manifest.get(path) }) as ListedFile)
  return toPage(
    files,
    limit,
    (file) => file.path,
    ({ path, sha256, size }) => ({ path, sha256, size }),
  )
}
