/** Lower-case, without the final dot, for storing and comparing. The root is the empty string. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** Null for the root. */
export function parentName(name: string): string | null {
  if (name === '') return null
  const dot = name.indexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1)
}

/** `*.acme.com` */
export function isWildcard(name: string): boolean {
  return name.startsWith('*.')
}

/** What a wildcard is below: `acme.com` for `*.acme.com`. Any other name is itself. */
export function withoutWildcard(name: string): string {
  return isWildcard(name) ? name.slice(2) : name
}

/** Whether the name is the zone itself or below it. */
export function isWithin(name: string, zone: string): boolean {
  return zone === '' || name === zone || name.endsWith(`.${zone}`)
}

/**
 * Whether we look up the name at all. DNS allows other bytes, but no host, nameserver or challenge uses them: such names
 * only come from hostile zones.
 */
export function isAskable(name: string): boolean {
  return name.length <= 253 && (name === '' || name.split('.').every((label) => askableLabel.test(label)))
}

const askableLabel = /^[a-z0-9_*-]{1,63}$/
