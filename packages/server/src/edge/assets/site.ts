import { isControlFile } from '@masthead/contract/deployments.ts'
import { Fingerprints } from '@masthead/contract/fingerprinted.ts'
import { findByPath, findFile, shownPathOf } from '@masthead/contract/site-paths/html-handling.ts'
import { readingsOf } from '@masthead/contract/site-paths/site-path.ts'
import { type IndexedRules, indexRules, type RulesServer } from '@masthead/contract/site-rules/index-rules.ts'
import type { HeaderChanges } from '@masthead/contract/site-rules/match-headers.ts'
import type { RuleSetting, SiteRules, SiteSettings } from '@masthead/contract/site-rules/rules.ts'
import type { Manifest } from '../../deployments/manifest.ts'
import { detachString } from '../../kernel/cache/memoize.ts'
import { TimeSlice } from '../../kernel/concurrency.ts'
import { createdAt } from '../../kernel/ids.ts'
import type { SiteRecord, StrictTransport } from '../../projects/site.ts'
import { createGate, type Gate } from '../protection/gate.ts'
import { Asset, KeptVariants } from './asset.ts'
import { blockedPage } from './pages.ts'
import type { Reply } from './reply.ts'

/** What a file and its headers usually take in memory. */
const usualFileBytes = 1_024
/** A few more than there are files, for those that answer at several paths. */
const moreVariants = 20
/** Of a path that is remembered. */
const longestPath = 256

/** One deployment, ready to be served. A change replaces the whole object. */
export class Site {
  readonly record: SiteRecord
  /** The project's, or what the files of the deployment say instead. */
  readonly settings: SiteSettings
  /** Those of the deployment's own files. */
  readonly ownSettings: readonly RuleSetting[]
  /** The files that visitors can get. */
  readonly manifest: Manifest
  readonly isPreview: boolean
  /** Shown instead of the site. */
  readonly blockedPage: Reply | null
  /** Null if nothing is protected. */
  readonly gate: Gate | null
  /** Replies for visitors who were let in, by the same reply for everyone. */
  readonly behindGate = new WeakMap<Reply, Reply>()
  /** Replies with HSTS, by the same reply without. */
  readonly overHttps = new WeakMap<Reply, Reply>()
  /** Replies without HSTS, by the same reply with it, which a rule set. */
  readonly overPlainHttp = new WeakMap<Reply, Reply>()
  /** Null until `indexRules` has run. */
  #rules: IndexedRules | null = null
  /** Null until the first file is asked for. */
  #fingerprints: Fingerprints | null = null
  /** With the headers of rules, if they do not depend on the host. */
  readonly #assets = new Map<string, Asset>()
  /** Without them. */
  readonly #bareAssets = new Map<string, Asset>()
  /** The same, where another path shows them. */
  readonly #bareElsewhere = new Map<string, Asset>()
  readonly #forNavigations: ResolvedAssets
  readonly #forOthers: ResolvedAssets
  /** Rules for many hosts or patterns could make many of each file. */
  readonly #variants: KeptVariants

  constructor(record: SiteRecord, manifest: Manifest, isPreview: boolean, rules: SiteRules | null = null) {
    this.record = record
    this.ownSettings = rules?.settings ?? []
    this.settings = settingsOf(record, this.ownSettings)
    this.manifest = withoutControlFiles(manifest)
    this.isPreview = isPreview
    this.blockedPage = record.blocked ? blockedPage(record.blocked) : null
    this.gate = createGate(record.protection ?? null, isPreview, rules?.protect ?? [])
    this.#variants = new KeptVariants(this.manifest.size + moreVariants)
    this.#forNavigations = new ResolvedAssets(this.manifest.size)
    this.#forOthers = new ResolvedAssets(this.manifest.size)
  }

  get rules(): IndexedRules | null {
    return this.#rules
  }

  /** In slices, so that visitors of other sites do not wait meanwhile. */
  async indexRules(rules: SiteRules, server: RulesServer): Promise<void> {
    const slice = new TimeSlice()
    const files = {
      canonicalPathOf: (path: string) =>
        findByPath(this.manifest, this.settings.htmlHandling, path)?.canonical ?? null,
      canShow: (path: string) => findFile(this.manifest, path) !== null,
    }
    this.#rules = await indexRules(rules, server, files, () => slice.pause())
  }

  /** Roughly the bytes it takes in memory. */
  get weight(): number {
    const { redirects, headers } = this.rules ?? {}
    const perFile = usualFileBytes + Math.min(headers?.addedBytes ?? 0, 4 * usualFileBytes)
    const rules = (redirects?.bytes ?? 0) + (headers?.bytes ?? 0) + (this.gate?.bytes ?? 0)
    return (1 + this.manifest.size) * perFile + rules
  }

  /** For a site without rules, where the path of a request and whether it navigates decide which file answers. */
  resolvedAssets(isNavigation: boolean): ResolvedAssets {
    return isNavigation ? this.#forNavigations : this.#forOthers
  }

  /** A file at its own path. Headers are built on the first request for it and cached. */
  asset(path: string, hostname: string): Asset {
    const headers = this.rules?.headers ?? null
    if (headers === null) return this.#bareAt(path)
    if (headers.dependsOnHost) return this.assetAt(path, null, hostname)
    const known = this.#assets.get(path)
    if (known !== undefined) return known
    const changes = this.headerChangesAt(path, null, hostname, false)
    const bare = this.#bareAt(path)
    const asset = bare.with(changes)
    const isKept = changes === null || bare.keeps(changes) || this.#variants.tryKeep(changes)
    if (isKept) this.#assets.set(detachString(path), asset)
    return asset
  }

  /**
   * A file that answers for another path. The rules for both apply. One that answers for many paths may be another with
   * the next deployment, or a file may be published at one of them: `isFallback` lets caches use it again without asking
   * only if a rule for the file itself says so.
   */
  assetAt(path: string, requestedPath: string | null, hostname: string, isFallback = false): Asset {
    const headers = this.rules?.headers ?? null
    const isElsewhere = requestedPath !== null && requestedPath !== path
    if (headers === null) return isElsewhere ? this.#bareElsewhereAt(path) : this.asset(path, hostname)
    const bare = isElsewhere ? this.#bareElsewhereAt(path) : this.#bareAt(path)
    return bare.with(this.headerChangesAt(path, requestedPath, hostname, isFallback))
  }

  #bareAt(path: string): Asset {
    const known = this.#bareAssets.get(path)
    if (known !== undefined) return known
    const asset = this.#createAsset(path, this.#isFingerprinted(path))
    // The path is a slice of a request, which it would keep alive.
    this.#bareAssets.set(detachString(path), asset)
    return asset
  }

  /** A hash is in the name of the file only: the other path may show another one with the next deployment. */
  #bareElsewhereAt(path: string): Asset {
    const known = this.#bareElsewhere.get(path)
    if (known !== undefined) return known
    const asset = this.#isFingerprinted(path) ? this.#createAsset(path, false) : this.#bareAt(path)
    this.#bareElsewhere.set(detachString(path), asset)
    return asset
  }

  /** What rules do to the headers of a file; null if there are none for it. */
  headerChangesAt(
    path: string,
    requestedPath: string | null,
    hostname: string,
    isFallback: boolean,
  ): HeaderChanges | null {
    const paths = this.#pathsOf(path, requestedPath)
    const filePaths = isFallback ? this.#pathsOf(path, null) : paths
    return this.rules?.headers?.changesFor(paths, hostname, filePaths) ?? null
  }

  #pathsOf(path: string, requestedPath: string | null): string[] {
    // Placeholders in values stand for what visitors see.
    const paths = [shownPathOf(this.settings, path), path]
    return requestedPath === null ? paths : [...readingsOf(requestedPath), ...paths]
  }

  #isFingerprinted(path: string): boolean {
    if (this.record.immutableAssets === false) return false
    this.#fingerprints ??= new Fingerprints(this.manifest.keys())
    return this.#fingerprints.has(path)
  }

  /** For what may change with the next deployment. */
  #cacheControl(): string {
    const { staleWhileRevalidate = 0 } = this.record
    // With must-revalidate, browsers would not show what they have (RFC 5861, 3).
    const whenStale =
      staleWhileRevalidate === 0 ? 'must-revalidate' : `stale-while-revalidate=${staleWhileRevalidate}`
    return `public, max-age=0, ${whenStale}`
  }

  #createAsset(path: string, isImmutable: boolean): Asset {
    const file = this.manifest.get(path)
    if (file === undefined) throw new Error(`${path} is not in the manifest of ${this.record.deploymentId}`)
    const { accountId, deploymentId } = this.record
    const modifiedAt = deploymentId === null ? null : createdAt(deploymentId)
    const revalidated = this.#cacheControl()
    return new Asset(path, file, {
      accountId,
      noindex: this.isPreview,
      cacheControl: isImmutable ? 'public, max-age=31536000, immutable' : revalidated,
      cacheControlIfMissing: revalidated,
      modifiedAt,
      variants: this.#variants,
    })
  }
}

/** Paths of requests that a file has answered, as they were spelled. There are many spellings, so they are bounded. */
class ResolvedAssets {
  readonly #byPath = new Map<string, Asset>()
  readonly #limit: number

  constructor(files: number) {
    this.#limit = files + 10
  }

  get(path: string): Asset | undefined {
    return this.#byPath.get(path)
  }

  set(path: string, asset: Asset): void {
    if (path.length > longestPath) return
    if (this.#byPath.size >= this.#limit) this.#byPath.clear()
    this.#byPath.set(detachString(path), asset)
  }
}

function settingsOf({ htmlHandling, singlePage }: SiteRecord, own: readonly RuleSetting[]): SiteSettings {
  const given = own.map(({ name, value }) => [name, value])
  return { htmlHandling, singlePage, notFound: null, ...Object.fromEntries(given) }
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

const strictTransport = 'strict-transport-security'

/** Removes HSTS, which must not be sent over plain HTTP (RFC 6797, 7.2), if a rule of the site set it. */
export function overPlainHttp(reply: Reply, site: Site): Reply {
  if (site.rules?.headers?.setsStrictTransport !== true) return reply
  const known = site.overPlainHttp.get(reply)
  if (known !== undefined) return known
  const { status, body } = reply
  const headers = reply.headers.filter((_, at, all) => all[at - (at % 2)]?.toLowerCase() !== strictTransport)
  const plain = { status, headers, body }
  site.overPlainHttp.set(reply, plain)
  return plain
}

export function withStrictTransport(reply: Reply, { hstsMaxAge = null }: StrictTransport): Reply {
  if (hstsMaxAge === null) return reply
  // A rule of the site comes before the project's setting.
  if (reply.headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === strictTransport)) return reply
  const headers = [...reply.headers, 'Strict-Transport-Security', `max-age=${hstsMaxAge}`]
  return { status: reply.status, headers, body: reply.body }
}
