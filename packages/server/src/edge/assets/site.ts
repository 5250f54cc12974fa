import type { Manifest } from '../../deployments/manifest.ts'
import { createdAt } from '../../kernel/ids.ts'
import { detachString } from '../../kernel/memoize.ts'
import type { SiteRecord, StrictTransport } from '../../projects/site.ts'
import { Asset } from './asset.ts'
import { blockedPage } from './pages.ts'
import type { Reply } from './reply.ts'

/** One deployment ready to be served: what a host shows, until a change replaces it whole. */
export class Site {
  readonly record: SiteRecord
  readonly manifest: Manifest
  readonly isPreview: boolean
  /** What visitors get instead of the site. */
  readonly blockedPage: Reply | null
  /** What its replies become over HTTPS, where they differ. */
  readonly overHttps = new WeakMap<Reply, Reply>()
  readonly #assets = new Map<string, Asset>()

  constructor(record: SiteRecord, manifest: Manifest, isPreview: boolean) {
    this.record = record
    this.manifest = manifest
    this.isPreview = isPreview
    this.blockedPage = record.blocked ? blockedPage(record.blocked) : null
  }

  /** The headers of a file are made on its first request and kept: later ones only look them up. */
  asset(path: string): Asset {
    const known = this.#assets.get(path)
    if (known !== undefined) return known
    const file = this.manifest.get(path)
    if (file === undefined) throw new Error(`${path} is not in the manifest of ${this.record.deploymentId}`)
    const { accountId, deploymentId } = this.record
    const modifiedAt = deploymentId === null ? null : createdAt(deploymentId)
    const asset = new Asset(path, file, { accountId, noindex: this.isPreview, modifiedAt })
    // The path is a part of somebody's request.
    this.#assets.set(detachString(path), asset)
    return asset
  }
}

/** The reply as it is given over HTTPS. The same for the same reply, so that what is made of it is made once. */
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
