import { applyHeaderChanges, type HeaderChanges } from '@masthead/contract/site-rules/match-headers.ts'
import { awaitsEncodings, type ManifestFile, mayBeEncoded } from '../../deployments/manifest.ts'
import { contentTypeOf, isStoredGzipped } from '../../kernel/content-type.ts'
import { AnswerMemory } from '../cache/answer-memory.ts'
import type { ByteRange } from './conditional-requests.ts'
import { type Coding, navigationHeaders } from './negotiate.ts'
import {
  bytesOf,
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
  /** Null until somebody asks. */
  notModified: Reply | null
}

export interface AssetOptions {
  accountId: string
  noindex: boolean
  cacheControl: string
  /** As the page for a missing path. */
  cacheControlIfMissing: string
  /** As in the header; null if unknown. */
  lastModified: string | null
  /** Set if `isNavigation` decided that this file answers. */
  varies?: { canonical: string | undefined }
  /** From the site's own rules, applied one after the other. */
  changes?: readonly HeaderChanges[]
  /** Where what is kept of it counts. */
  memory: AnswerMemory
}

/** For what is built for one answer. */
const uncounted = new AnswerMemory()
const noChanges: readonly HeaderChanges[] = []

/** What it takes in memory, without its replies. */
const bytesPerAsset = 300
/** What a reply with the file takes besides what others do. */
const bytesPerForm = 450
/** Where rules set another value for each file. */
const bytesPerHeader = 300

function bytesOfChanges({ set }: HeaderChanges): number {
  let bytes = bytesPerHeader
  for (const { text } of set.values()) bytes += bytesPerHeader + text.length
  return bytes
}

/** A published file and all replies that contain it. */
export class Asset {
  readonly file: ManifestFile
  readonly path: string
  readonly #options: AssetOptions
  /** Of the content as it was published. Everyone gets it: there is no other form. */
  readonly #storedCoding: Coding
  readonly #forms: { [C in Coding]?: AssetForm } = {}
  /** Few files are ever the page for a missing path. */
  #asMissing: { [C in Coding]?: Reply } | null = null
  /** Few files have any, and then at most two: with one canonical path, and without. */
  #varying: Map<string | undefined, Asset> | null = null
  /** Until then, a cache must not keep what it got for everybody behind it. */
  readonly #awaitsEncodings: boolean
  #changed: WeakMap<HeaderChanges, Asset> | null = null

  constructor(path: string, file: ManifestFile, options: AssetOptions) {
    this.#storedCoding = isStoredGzipped(path) ? 'gzip' : 'identity'
    // The same content may be compressed for another path, where its type is another.
    this.file = this.#storedCoding === 'identity' ? file : { ...file, encoded: {} }
    this.path = path
    this.#options = options
    this.#awaitsEncodings = awaitsEncodings(path, this.file)
    options.memory.add(bytesPerAsset + path.length)
  }

  /** As in the header. */
  get lastModified(): string | null {
    return this.#options.lastModified
  }

  /** The same file for a path where only some requests get it. `canonical` is where the others are redirected. */
  varying(canonical?: string): Asset {
    this.#varying ??= new Map()
    const known = this.#varying.get(canonical)
    if (known !== undefined) return known
    const asset = new Asset(this.path, this.file, { ...this.#options, varies: { canonical } })
    this.#varying.set(canonical, asset)
    return asset
  }

  /** The same file with other headers. `isKept`: the result is remembered. */
  with(changes: HeaderChanges | null, isKept = changes?.isKept === true): Asset {
    if (changes === null) return this
    this.#changed ??= new WeakMap()
    const known = this.#changed.get(changes)
    if (known !== undefined) return known
    const { changes: earlier = noChanges, memory } = this.#options
    const asset = new Asset(this.path, this.file, {
      ...this.#options,
      changes: [...earlier, changes],
      memory: isKept ? memory : uncounted,
    })
    if (changes.isKept) this.#changed.set(changes, asset)
    else if (isKept) memory.add(bytesOfChanges(changes))
    return asset
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
    return { status: 206, headers, body: this.#blob('identity', range), file: this.path }
  }

  notModified(form: AssetForm): Reply {
    if (form.notModified !== null) return form.notModified
    // With all headers of the rules: a deployment may change them and not the file.
    const headers = this.#change(['ETag', form.etag, ...this.#caching()])
    form.notModified = this.#count({ status: 304, headers, body: noBody, file: this.path })
    return form.notModified
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
    const headers = this.#change([...more, 'Content-Length', '0', ...this.#caching()])
    return { status, headers: withCacheControl(headers, 'no-store'), body: noBody, file: this.path }
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
    const reply = this.#count({ ...ok, status: 404, headers })
    this.#asMissing[coding] = reply
    return reply
  }

  #createForm(coding: Coding): AssetForm {
    const etag = this.#etag(coding)
    const headers = this.#headers(coding, this.#size(coding))
    const ok = this.#count({ status: 200, headers, body: this.#blob(coding, null), file: this.path })
    this.#options.memory.add(bytesPerForm)
    return { etag, ok, notModified: null }
  }

  #count(reply: Reply): Reply {
    this.#options.memory.add(bytesOf(reply))
    // A copy has no room to grow.
    return { ...reply, headers: reply.headers.slice() }
  }

  #headers(coding: Coding, length: number): string[] {
    const sent = this.#sentCoding(coding)
    return this.#change([
      ...['Content-Type', contentTypeOf(this.path)],
      ...['X-Content-Type-Options', 'nosniff'],
      ...['Accept-Ranges', 'bytes'],
      ...(sent === 'identity' ? [] : ['Content-Encoding', sent]),
      ...['Content-Length', String(length)],
      ...['ETag', this.#etag(coding)],
      ...this.#caching(),
    ])
  }

  #caching(): string[] {
    const { cacheControl, lastModified, varies, noindex } = this.#options
    const vary = [
      ...(mayBeEncoded(this.path, this.file) ? ['Accept-Encoding'] : []),
      ...(varies === undefined ? [] : [navigationHeaders]),
    ]
    return [
      ...['Cache-Control', cacheControl],
      ...(lastModified === null ? [] : ['Last-Modified', lastModified]),
      ...(vary.length === 0 ? [] : ['Vary', vary.join(', ')]),
      ...(varies?.canonical === undefined ? [] : ['Link', `<${varies.canonical}>; rel="canonical"`]),
      ...(noindex ? ['X-Robots-Tag', 'noindex'] : []),
    ]
  }

  #change(headers: string[]): string[] {
    const { changes = noChanges } = this.#options
    const changed = changes.reduce(applyHeaderChanges, headers)
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
    const { accountId } = this.#options
    const id = `${accountId}/${sha256}/${coding}`
    const key = { accountId, sha256, encoding }
    return { kind: 'blob', key, id, size: this.#size(coding), range }
  }
}
