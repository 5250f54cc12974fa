import type { BlobKey } from './blob-store.ts'

// Account folders begin with `acc_`, so none of them can be taken for `staging` or `documents`.
const accountPattern = /^acc_[0-9a-z]{1,64}$/
const digestPattern = /^[0-9a-f]{64}$/
const documentPattern = /^[a-z0-9_-]+(\/(?!\.{1,2}(\/|$))[a-z0-9_.-]+)*$/

const endings = { br: '.br', zstd: '.zst', gzip: '.gz' } as const

/** Where a blob lies below the folder of the store. Throws for anything that is not an id and a digest. */
export function blobPath({ accountId, sha256, encoding }: BlobKey): string {
  if (!accountPattern.test(accountId)) throw new TypeError(`not an account id: ${JSON.stringify(accountId)}`)
  if (!digestPattern.test(sha256)) throw new TypeError(`not a SHA-256: ${JSON.stringify(sha256)}`)
  return `${accountId}/${sha256.slice(0, 2)}/${sha256}${encoding ? endings[encoding] : ''}`
}

export function documentPath(name: string): string {
  if (!documentPattern.test(name)) throw new TypeError(`not a document name: ${JSON.stringify(name)}`)
  return `documents/${name}`
}
