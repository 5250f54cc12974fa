import { isControlFile } from '@masthead/contract/deployments.ts'
import type { Manifest } from '../../deployments/manifest.ts'
import { createdAt } from '../../kernel/ids.ts'
import { detachString } from '../../kernel/memoize.ts'
import type { SiteRecord, StrictTransport } from '../../projects/site.ts'
import { Asset } from './asset.ts'
import { blockedPage } from './pages.ts'
import type { Reply } from './reply.ts'

/** One deployment, ready to be served. A change replaces the whole object. */
export class Site {
  readonly record: SiteRecord
  /** The files that visitors can get. */
  readonly manifest: Manifest
  readonly isPreview: boolean
  /** Shown instead of the site. */
  readonly blockedPage: Reply | null
  /** Replies with HSTS, by the same reply without. */
  readonly overHttps = new WeakMap<Reply, Reply>()
  readonly #assets = new Map<string, Asset>()

  constructor(record: SiteRecord, manifest: Manifest, isPreview: boolean) {
    this.record = record
    this.manifest = withoutControlFiles(manifest)
    this.isPreview = isPreview
    this.blockedPage = record.blocked ? blockedPage(record.blocked) : null
  }

  /** Headers are built on the first request for a file and cached. */
  asset(path: string): Asset {
    const known = this.#assets.get(path)
    if (known !== undefined) return known
    const file = this.manifest.get(path)
    if (file === undefined) throw new Error(`${path} is not in the manifest of ${this.record.deploymentId}`)
    const { accountId, deploymentId } = this.record
    const modifiedAt = deploymentId === null ? null : createdAt(deploymentId)
    const asset = new Asset(path, file, { accountId, noindex: this.isPreview, modifiedAt })
    // The path is a slice of a request, which it would keep alive.
    this.#assets.set(detachString(path), asset)
    return asset
  }
}

function withoutControlFiles(manifest: Manifest): Manifest {
  const hidden = [...manifest.keys()].filter(isControlFile)
  if (hidden.length === 0) return manifest
  const served = new Map(manifest)
  for (const path of hidden) served.delete(path)
  return served
}

/** Adds HSTS. Returns the same object for the same reply, so that what is derived from it is cached. */
export function overHttps(reply: Reply, site: Site): Reply {
  if ((site.record.hstsMaxAge ?? null) === null) return reply
  const known = site.overHttps.get(reply)
  if (known !== undefined) return known
  const secured = withStrictTransport(reply, site.record)
  site.overHttps.set(reply, secured)
  return secured
}

export function withStrictTransport(reply: Reply, { hstsMaxAge = null }: StrictTransport): Reply {
  if (hstsMaxAge === null) return reply
  const headers = [...reply.headers, 'Strict-Transport-Security', `max-age=${hstsMaxAge}`]
  return { status: reply.status, headers, body: reply.body }
}
