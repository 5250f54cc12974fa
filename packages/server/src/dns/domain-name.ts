/** As names are kept and compared: lower-case, without the final dot. The root is the empty string. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** Null above the root. */
export function parentName(name: string): string | null {
  if (name === '') return null
  const dot = name.indexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1)
}

/** Whether the name is the zone itself or lies below it. */
export function isWithin(name: string, zone: string): boolean {
  return zone === '' || name === zone || name.endsWith(`.${zone}`)
}

/**
 * Whether a question can be asked about the name. Other bytes are legal in the DNS, but no host, nameserver or
 * challenge has them; such names come from hostile zones alone.
 */
export function isAskable(name: string): boolean {
  return name.length <= 253 && (name === '' || name.split('.').every((label) => askableLabel.test(label)))
}

const askableLabel = /^[a-z0-9_*-]{1,63}$/
