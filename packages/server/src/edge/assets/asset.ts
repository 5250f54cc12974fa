import { applyHeaderChanges, type HeaderChanges } from '@masthead/contract/site-rules/match-headers.ts'
import { awaitsEncodings, type ManifestFile, mayBeEncoded } from '../../deployments/manifest.ts'
import { contentTypeOf, isStoredGzipped } from '../../kernel/content-type.ts'
import type { ByteRange } from './conditional-requests.ts'
import { type Coding, navigationHeaders } from './negotiate.ts'
import {
  isReusable,
  noBody,
  type Reply,
  type ReplyBody,
  withCacheControl,
  withoutSharedReuse,
} from './reply.ts'

/** A file in one content coding, with the replies that are the same for every request. */
export interface AssetForm {
  readonly etag: string
  readonly ok: Reply
  readonly notModified: Reply
}

export interface AssetOptions {
  accountId: string
  noindex: boolean
  cacheControl: string
  /** As the page for a missing path. */
  cacheControlIfMissing: string
  /** In milliseconds since 1970; null if unknown. */
  modifiedAt: number | null
  /** Set if `isNavigation` decided that this file answers. */
  varies?: { canonical: string | undefined }
  /** From the site's own rules, applied one after the other. */
  changes?: readonly HeaderChanges[]
  /** Of files with other headers. All files of a site share it. */
  variants: KeptVariants
}

/** The header fields of a file without those of rules. */
const usualFields = 12
/** Of files with headers of rules, most have fewer. */
const fieldsPerFile = 40

/** How many files with other headers may still be kept. Rules could give each thousands of headers. */
export class KeptVariants {
  #fieldsLeft: number

  constructor(files: number) {
    this.#fieldsLeft = files * fieldsPerFile
  }

  tryKeep({ set }: HeaderChanges): boolean {
    const fields = usualFields + set.size
    if (fields > this.#fieldsLeft) return false
    this.#fieldsLeft -= fields
    return true
  }
}

const noVariants = new KeptVariants(0)

/** A published file and all replies that contain it. */
export class Asset {
  readonly file: ManifestFile
  /** As in the header. */
  readonly lastModified: string | null
  readonly #path: string
  readonly #options: AssetOptions
  readonly #accountId: string
  /** Of the content as it was published. Everyone gets it: there is no other form. */
  readonly #storedCoding: Coding
  readonly #type: readonly string[]
  readonly #caching: readonly string[]
  readonly #forms: { [C in Coding]?: AssetForm } = {}
  /** Few files are ever the page for a missing path. */
  #asMissing: { [C in Coding]?: Reply } | null = null
  /** Few files have any, and then at most two: with one canonical path, and without. */
  #varying: Map<string | undefined, Asset> | null = null
  readonly #changes: readonly HeaderChanges[]
  /** Until then, a cache must not keep what it got for everybody behind it. */
  readonly #awaitsEncodings: boolean
  #changed: WeakMap<HeaderChanges, Asset> | null = null

  constructor(path: string, file: ManifestFile, options: AssetOptions) {
    const { accountId, noindex, cacheControl, modifiedAt, varies } = options
    this.#storedCoding = isStoredGzipped(path) ? 'gzip' : 'identity'
    // The same content may be compressed for another path, where its type is another.
    this.file = this.#storedCoding === 'identity' ? file : { ...file, encoded: {} }
    this.lastModified = modifiedAt === null ? null : new Date(modifiedAt).toUTCString()
    this.#path = path
    this.#options = options
    this.#accountId = accountId
    this.#changes = options.changes ?? []
    this.#awaitsEncodings = awaitsEncodings(path, this.file)
    const vary = [
      ...(mayBeEncoded(path, this.file) ? ['Accept-Encoding'] : []),
      ...(varies === undefined ? [] : [navigationHeaders]),
    ]
    this.#type = [
      ...['Content-Type', contentTypeOf(path)],
      ...['X-Content-Type-Options', 'nosniff'],
      ...['Accept-Ranges', 'bytes'],
    ]
    this.#caching = [
      ...['Cache-Control', cacheControl],
      ...(this.lastModified === null ? [] : ['Last-Modified', this.lastModified]),
      ...(vary.length === 0 ? [] : ['Vary', vary.join(', ')]),
      ...(varies?.canonical === undefined ? [] : ['Link', `<${varies.canonical}>; rel="canonical"`]),
      ...(noindex ? ['X-Robots-Tag', 'noindex'] : []),
    ]
  }

  /** The same file for a path where only some requests get it. `canonical` is where the others are redirected. */
  varying(canonical?: string): Asset {
    this.#varying ??= new Map()
    const known = this.#varying.get(canonical)
    if (known !== undefined) return known
    const asset = new Asset(this.#path, this.file, { ...this.#options, varies: { canonical } })
    this.#varying.set(canonical, asset)
    return asset
  }

  /** The same file with other headers. */
  with(changes: HeaderChanges | null): Asset {
    if (changes === null) return this
    this.#changed ??= new WeakMap()
    const known = this.#changed.get(changes)
    if (known !== undefined) return known
    const { variants } = this.#options
    const isKept = changes.isKept && variants.tryKeep(changes)
    const asset = new Asset(this.#path, this.file, {
      ...this.#options,
      changes: [...this.#changes, changes],
      variants: isKept ? variants : noVariants,
    })
    if (isKept) this.#changed.set(changes, asset)
    return asset
  }

  /** Whether `with` returns the same object every time. */
  keeps(changes: HeaderChanges | null): boolean {
    return changes === null || this.#changed?.has(changes) === true
  }

  form(coding: Coding): AssetForm {
    const known = this.#forms[coding]
    if (known !== undefined) return known
    const form = this.#createForm(coding)
    this.#forms[coding] = form
    return form
  }

  /** 206 with a part of the file as it was published. */
  part(range: ByteRange): Reply {
    const { start, end } = range
    const headers = this.#headers('identity', end - start + 1)
    headers.push('Content-Range', `bytes ${start}-${end}/${this.file.size}`)
    return { status: 206, headers, body: this.#blob('identity', range), file: this.#path }
  }

  unsatisfiable(): Reply {
    return this.#refusal(416, ['Content-Range', `bytes */${this.file.size}`])
  }

  /** For a client whose precondition names an older version. */
  preconditionFailed(): Reply {
    return this.#refusal(412, [])
  }

  /** About one request, not about the file: a cache must not give it to others. */
  #refusal(status: number, more: readonly string[]): Reply {
    const headers = this.#change([...more, 'Content-Length', '0', ...this.#caching])
    return { status, headers: withCacheControl(headers, 'no-store'), body: noBody, file: this.#path }
  }

  /**
   * The file as the page for a missing path. A rule may let caches keep all files of a folder, but the missing one may
   * be published next.
   */
  notFound(coding: Coding): Reply {
    this.#asMissing ??= {}
    const known = this.#asMissing[coding]
    if (known !== undefined) return known
    const { ok } = this.form(coding)
    const headers = isReusable(ok.headers)
      ? withCacheControl(ok.headers, this.#options.cacheControlIfMissing)
      : ok.headers
    const reply = { ...ok, status: 404, headers }
    this.#asMissing[coding] = reply
    return reply
  }

  #createForm(coding: Coding): AssetForm {
    const etag = this.#etag(coding)
    const headers = this.#headers(coding, this.#size(coding))
    // With all headers of the rules: a deployment may change them and not the file.
    const unchanged = this.#change(['ETag', etag, ...this.#caching])
    return {
      etag,
      ok: { status: 200, headers, body: this.#blob(coding, null), file: this.#path },
      notModified: { status: 304, headers: unchanged, body: noBody, file: this.#path },
    }
  }

  #headers(coding: Coding, length: number): string[] {
    const sent = this.#sentCoding(coding)
    return this.#change([
      ...this.#type,
      ...(sent === 'identity' ? [] : ['Content-Encoding', sent]),
      ...['Content-Length', String(length)],
      ...['ETag', this.#etag(coding)],
      ...this.#caching,
    ])
  }

  #change(headers: string[]): string[] {
    const changed = this.#changes.reduce(applyHeaderChanges, headers)
    return this.#awaitsEncodings ? withoutSharedReuse(changed) : changed
  }

  /** Strong, so every coding needs its own tag. */
  #etag(coding: Coding): string {
    const digest = this.file.sha256.slice(0, 32)
    const sent = this.#sentCoding(coding)
    return sent === 'identity' ? `"${digest}"` : `"${digest}-${sent}"`
  }

  #sentCoding(coding: Coding): Coding {
    return coding === 'identity' ? this.#storedCoding : coding
  }

  #size(coding: Coding): number {
    if (coding === 'identity') return this.file.size
    const size = this.file.encoded?.[coding]
    if (size === undefined) throw new Error(`${this.file.sha256} is not stored as ${coding}`)
    return size
  }

  #blob(coding: Coding, range: ByteRange | null): ReplyBody {
    const { sha256 } = this.file
    const encoding = coding === 'identity' ? undefined : coding
    const id = `${this.#accountId}/${sha256}/${coding}`
    const key = { accountId: this.#accountId, sha256, encoding }
    return { kind: 'blob', key, id, size: this.#size(coding), range }
  }
}
