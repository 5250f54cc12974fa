import type { RuleFinding } from '@masthead/contract/site-rules/findings.ts'
import type { SiteRules } from '@masthead/contract/site-rules/rules.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { isOtherContent } from '../blobs/s3/s3-error.ts'
import { parseJson } from '../kernel/parse-json.ts'
import type { Manifest, ManifestFile } from './manifest.ts'

interface ManifestDocument {
  version: 1
  files: Record<string, ManifestFile>
}

/** Stored next to the blobs, so that sites can be loaded while the database is down. */
export async function writeManifest(
  blobs: BlobStore,
  deploymentId: string,
  manifest: Manifest,
): Promise<void> {
  await blobs.writeDocument(manifestName(deploymentId), Buffer.from(documentText(manifest)))
}

/** The JSON of a ManifestDocument, without an object of thousands of members, which takes far longer. */
function documentText(manifest: Manifest): string {
  const version: ManifestDocument['version'] = 1
  let files = ''
  for (const [path, file] of manifest) files += `,${JSON.stringify(path)}:${fileText(file)}`
  return `{"version":${version},"files":{${files.slice(1)}}}`
}

/** Its members are numbers and a digest, which need no escapes. */
function fileText({ sha256, size, encoded }: ManifestFile): string {
  const text = `{"sha256":"${sha256}","size":${size}`
  return encoded === undefined ? `${text}}` : `${text},"encoded":${JSON.stringify(encoded)}}`
}

export async function readManifest(
  blobs: Pick<BlobStore, 'readDocument'>,
  deploymentId: string,
): Promise<Manifest | null> {
  const text = await blobs.readDocument(manifestName(deploymentId))
  return text === null ? null : parseManifest(text)
}

export async function parseManifest(text: Buffer): Promise<Manifest> {
  const document = (await parseJson(text)) as ManifestDocument
  return new Map(Object.entries(document.files))
}

export async function removeManifest(blobs: BlobStore, deploymentId: string): Promise<void> {
  // In this order: to a backup, rules that are missing beside a manifest never existed.
  await blobs.removeDocument(manifestName(deploymentId))
  await blobs.removeDocument(rulesName(deploymentId))
}

interface RulesDocument extends SiteRules {
  version: 1
  /** What was wrong with the files. Omitted: nothing, or it is older than this. */
  findings?: RuleFinding[]
}

/** In a document of its own, because manifests are written again when files have been compressed. */
export async function writeRules(
  blobs: BlobStore,
  deploymentId: string,
  rules: SiteRules,
  findings: RuleFinding[],
): Promise<void> {
  const document: RulesDocument = { version: 1, ...rules, ...(findings.length > 0 && { findings }) }
  await blobs.writeDocument(rulesName(deploymentId), Buffer.from(JSON.stringify(document)))
}

/** Null if there are none, as in deployments older than rules. */
export async function readRules(
  blobs: Pick<BlobStore, 'readDocument'>,
  deploymentId: string,
): Promise<SiteRules | null> {
  return (await readRulesAndFindings(blobs, deploymentId))?.rules ?? null
}

export async function readRulesAndFindings(
  blobs: Pick<BlobStore, 'readDocument'>,
  deploymentId: string,
): Promise<{ rules: SiteRules; findings: RuleFinding[] } | null> {
  const text = await blobs.readDocument(rulesName(deploymentId))
  if (text === null) return null
  const { version, findings = [], ...rules } = (await parseJson(text)) as RulesDocument
  if (version !== 1) throw new Error(`The rules of ${deploymentId} have the unknown version ${version}`)
  return { rules, findings }
}

export function rulesName(deploymentId: string): string {
  return `manifests/${deploymentId}.rules.json`
}

export function manifestName(deploymentId: string): string {
  return `manifests/${deploymentId}.json`
}

export interface StoredDocument<T> {
  isThere: boolean
  content: Buffer | null
  parsed: T | null
}

/** Without content if it is damaged: nobody can use that, and a backup may have it whole. */
export async function readIfWhole<T>(
  blobs: Pick<BlobStore, 'readDocument'>,
  name: string,
  parse: (content: Buffer) => Promise<T>,
): Promise<StoredDocument<T>> {
  const damaged = { isThere: true, content: null, parsed: null }
  try {
    const content = await blobs.readDocument(name)
    if (content === null) return { ...damaged, isThere: false }
    return await parse(content).then(
      (parsed) => ({ isThere: true, content, parsed }),
      () => damaged,
    )
  } catch (error) {
    if (isOtherContent(error)) return damaged
    throw error
  }
}
