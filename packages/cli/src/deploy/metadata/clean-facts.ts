import { firstLine, metaMaxLength } from '@masthead/contract/deployments.ts'
import type { DeploymentMeta } from '@masthead/contract/schemas/deployment-meta.ts'
import { controlCharacters } from '@masthead/contract/text/control-characters.ts'
import type { Facts } from './pipelines.ts'

/** Facts that the server accepts. What cannot be used is left out: nobody typed it. */
export function cleanFacts({
  message,
  commit,
  branch,
  repository,
  author,
  url,
  pullRequest,
  target,
  fork,
  tag,
}: Facts): DeploymentMeta {
  const number = /^[1-9]\d{0,8}$/.test(pullRequest ?? '') ? Number(pullRequest) : undefined
  // The branch of a fork may be called like one of this repository, and must not pass for it.
  const isForeign = number === undefined || Boolean(fork) || !branch || branch === target
  const from = pullRequest && isForeign ? `pull/${number ?? (branch || pullRequest)}` : branch
  // As a branch, a tag has an address, and rollbacks pass over its preview.
  const ref = !from && tag ? `tags/${tag}` : from
  const found = {
    message: cut('message', clean(message && firstLine(message))),
    commit: /^[0-9A-Za-z][0-9A-Za-z._-]*$/.test(commit ?? '') ? within('commit', commit) : '',
    branch: within('branch', word(ref)),
    repository: within('repository', repositoryName(repository ?? '')),
    author: cut('author', clean(author)),
    url: within('url', webAddress(url ?? '')),
  }
  const known = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== ''))
  return { ...known, ...(number !== undefined && { pullRequest: number }) }
}

/** Without control characters and those that reorder text. */
function clean(text = ''): string {
  const visible = text.replace(new RegExp(`[${controlCharacters}]+`, 'gu'), ' ')
  return visible.trim()
}

/** Nothing if it has characters that no name has. */
function word(text = ''): string {
  return clean(text) === text && !/\s/.test(text) ? text : ''
}

function cut(field: keyof typeof metaMaxLength, text: string): string {
  // Not in the middle of a character of two units.
  return text
    .slice(0, metaMaxLength[field])
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()
}

/** A cut name or address would be another one. */
function within(field: keyof typeof metaMaxLength, text = ''): string {
  return text.length <= metaMaxLength[field] ? text : ''
}

/** Without user and password, which clone addresses of pipelines have. */
function webAddress(address: string): string {
  if (!/^https?:\/\/\S+$/i.test(address) || !URL.canParse(address)) return ''
  const url = new URL(address)
  url.username = ''
  url.password = ''
  return url.href
}

/** `acme/site` as it is; clone addresses, also those for SSH, as the address of the page. */
export function repositoryName(remote: string): string {
  const [, host, path] = /^(?:ssh:\/\/)?(?:[^@/\s]+@)([^:/\s]+)(?::\d+)?[:/]\/?(\S+)$/.exec(remote) ?? []
  if (host !== undefined && !/^https?:/i.test(remote)) {
    return webAddress(`https://${host}/${path}`).replace(/\.git$/, '')
  }
  if (/^https?:/i.test(remote)) return webAddress(remote).replace(/\.git$/, '')
  return /^[^\s:@\\]+$/.test(remote) && !/^[./]/.test(remote) ? word(remote) : ''
}
