import { hash } from 'node:crypto'

/** Of the first label of a host (RFC 1035, section 2.3.4). */
const labelMaxLength = 63
const separator = '--'
const hashLengths = [8, 16] as const

/** What ids of deployments look like in a host. No branch gets such a label. */
const deploymentPattern = /^[0-9a-hjkmnp-tv-z]{20}$/

export function isDeploymentLabel(label: string): boolean {
  return deploymentPattern.test(label)
}

/** Whether `{label}--{slug}` is short enough for a host. */
export function labelFits(label: string, slug: string): boolean {
  return label.length + separator.length + slug.length <= labelMaxLength
}

/**
 * Labels for a branch, the preferred one first. All but the first end with a hash of the branch: several branches can
 * have the same first one, such as `a/b` and `a-b`. No label has `--` in it, so the first one in a host separates the
 * branch from the slug.
 */
export function branchLabels(branch: string, slug: string): string[] {
  const words = branch
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const digest = hash('sha256', branch)
  const hashed = hashLengths.map((length) => {
    const space = labelMaxLength - separator.length - slug.length - 1 - length
    const start = (words || 'branch').slice(0, space).replace(/-+$/, '')
    return `${start}-${digest.slice(0, length)}`
  })
  return isUsable(words, slug) ? [words, ...hashed] : hashed
}

/** Two characters would put the hyphens where only encoded Unicode names have them: no authority would certify that. */
function isUsable(words: string, slug: string): boolean {
  return words !== '' && words.length !== 2 && !isDeploymentLabel(words) && labelFits(words, slug)
}
