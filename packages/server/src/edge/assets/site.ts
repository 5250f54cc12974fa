import { isControlFile } from '@masthead/contract/deployments.ts'
import { Fingerprints } from '@masthead/contract/fingerprinted.ts'
import { findByPath, findFile, shownPathOf } from '@masthead/contract/site-paths/html-handling.ts'
import { readingsOf } from '@masthead/contract/site-paths/site-path.ts'
import {
  type IndexedRules,
  indexRules,
  noRules,
  type RulesServer,
} from '@masthead/contract/site-rules/index-rules.ts'
import type { HeaderChanges } from '@masthead/contract/site-rules/match-headers.ts'
import type { RuleSetting, SiteRules, SiteSettings } from '@masthead/contract/site-rules/rules.ts'
import type { Manifest } from '../../deployments/manifest.ts'
import { detachString } from '../../kernel/cache/memoize.ts'
import { TimeSlice } from '../../kernel/concurrency.ts'
import { createdAt } from '../../kernel/ids.ts'
import type { SiteRecord, StrictTransport } from '../../projects/site.ts'
import { AnswerMemory } from '../cache/answer-memory.ts'
import { createGate, type Gate } from '../protection/gate.ts'
import { Asset, type AssetOptions } from './asset.ts'
import { KeptAnswers } from './kept-answers.ts'
import { blockedPage } from './pages.ts'
import type { Reply } from './reply.ts'

/** What a file of the manifest takes in memory, besides its path. */
const bytesPerFile = 180
/** What a site takes without its files and rules. */
const bytesPerSite = 2_048

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
  /** Null until `indexRules` has run. */
  #rules: IndexedRules | null = null
  /** Null until the first file is asked for. */
  #fingerprints: Fingerprints | null = null
  readonly #memory: AnswerMemory
  /** By the memory's generation. */
  readonly #kept = new WeakMap<object, KeptAnswers>()
  /** Of files whose content may change with the next deployment. */
  readonly #options: AssetOptions
  /** Of files with a hash of their content in their name. */
  readonly #immutable: AssetOptions

  /** `memory`: of all sites together. */
  constructor(
    record: SiteRecord,
    manifest: Manifest,
    isPreview: boolean,
    rules: SiteRules | null = null,
    memory: AnswerMemory = new AnswerMemory(),
  ) {
    this.record = record
    this.ownSettings = rules?.settings ?? []
    this.settings = settingsOf(record, this.ownSettings)
    this.manifest = withoutControlFiles(manifest)
    this.isPreview = isPreview
    this.blockedPage = record.blocked ? blockedPage(record.blocked) : null
    this.gate = createGate(record.protection ?? null, isPreview, rules?.protect ?? [])
    this.#memory = memory
    this.#options = assetOptionsOf(record, isPreview, memory)
    this.#immutable = { ...this.#options, cacheControl: 'public, max-age=31536000, immutable' }
  }

  get rules(): IndexedRules | null {
    return this.#rules
  }

  /** Whether rules decide by the host which file answers, or with which headers. */
  get dependsOnHost(): boolean {
    const { redirects, headers } = this.rules ?? noRules
    return redirects?.forcedDependOnHost === true || headers?.dependsOnHost === true
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

  /** Roughly the bytes it takes in memory, without what is kept of its answers. */
  get weight(): number {
    const { redirects, headers } = this.rules ?? {}
    let weight = bytesPerSite + (redirects?.bytes ?? 0) + (headers?.bytes ?? 0) + (this.gate?.bytes ?? 0)
    for (const path of this.manifest.keys()) weight += bytesPerFile + path.length
    return weight
  }

  get kept(): KeptAnswers {
    const { generation } = this.#memory
    const known = this.#kept.get(generation)
    if (known !== undefined) return known
    const kept = new KeptAnswers(this.manifest.size, this.#memory)
    this.#kept.set(generation, kept)
    return kept
  }

  /** A file at its own path. Headers are built on the first request for it and cached. */
  asset(path: string, hostname: string): Asset {
    const headers = this.rules?.headers ?? null
    if (headers === null) return this.#bareAt(path)
    if (headers.dependsOnHost) return this.assetAt(path, null, hostname)
    const { assets } = this.kept
    const known = assets.get(path)
    if (known !== undefined) return known
    const asset = this.#bareAt(path).with(this.headerChangesAt(path, null, hostname, false), true)
    assets.set(asset.path, asset)
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
    const { bareAssets } = this.kept
    const known = bareAssets.get(path)
    if (known !== undefined) return known
    const asset = this.#createAsset(path, this.#isFingerprinted(path) ? this.#immutable : this.#options)
    bareAssets.set(asset.path, asset)
    return asset
  }

  /** A hash is in the name of the file only: the other path may show another one with the next deployment. */
  #bareElsewhereAt(path: string): Asset {
    const { bareElsewhere } = this.kept
    const known = bareElsewhere.get(path)
    if (known !== undefined) return known
    const asset = this.#isFingerprinted(path) ? this.#createAsset(path, this.#options) : this.#bareAt(path)
    bareElsewhere.set(asset.path, asset)
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

  #createAsset(path: string, options: AssetOptions): Asset {
    const file = this.manifest.get(path)
    if (file === undefined) throw new Error(`${path} is not in the manifest of ${this.record.deploymentId}`)
    // The path is a slice of a request, which it would keep alive.
    return new Asset(detachString(path), file, options)
  }
}

function assetOptionsOf(record: SiteRecord, isPreview: boolean, memory: AnswerMemory): AssetOptions {
  const { accountId, deploymentId, staleWhileRevalidate = 0 } = record
  // With must-revalidate, browsers would not show what they have (RFC 5861, 3).
  const whenStale =
    staleWhileRevalidate === 0 ? 'must-revalidate' : `stale-while-revalidate=${staleWhileRevalidate}`
  const cacheControl = `public, max-age=0, ${whenStale}`
  const modifiedAt = deploymentId === null ? null : createdAt(deploymentId)
  return {
    accountId,
    noindex: isPreview,
    cacheControl,
    cacheControlIfMissing: cacheControl,
    lastModified: modifiedAt === null ? null : new Date(modifiedAt).toUTCString(),
    memory,
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
  return site.kept.overHttps.of(reply, (plain) => withStrictTransport(plain, site.record))
}

const strictTransport = 'strict-transport-security'

/** Removes HSTS, which must not be sent over plain HTTP (RFC 6797, 7.2), if a rule of the site set it. */
export function overPlainHttp(reply: Reply, site: Site): Reply {
  if (site.rules?.headers?.setsStrictTransport !== true) return reply
  return site.kept.overPlainHttp.of(reply, withoutStrictTransport)
}

function withoutStrictTransport({ status, headers, body }: Reply): Reply {
  const others = headers.filter((_, at, all) => all[at - (at % 2)]?.toLowerCase() !== strictTransport)
  return { status, headers: others, body }
}

export function withStrictTransport(reply: Reply, { hstsMaxAge = null }: StrictTransport): Reply {
  if (hstsMaxAge === null) return reply
  // A rule of the site comes before the project's setting.
  if (reply.headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === strictTransport)) return reply
  const headers = [...reply.headers, 'Strict-Transport-Security', `max-age=${hstsMaxAge}`]
  return { status: reply.status, headers, body: reply.body }
}
