const link = /<([^<>]*)>((?:\s*;\s*[\w!#$&+\-.^`|~]+\s*=\s*(?:"[^"]*"|[^\s";,]+))*)/g
const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i

/** The targets of one relation in a Link header (RFC 8288), as addresses beside that of the answer. */
export function linkTargets(header: string | null, wanted: string, base: string): string[] {
  return [...(header ?? '').matchAll(link)].flatMap(([, target = '', parameters = '']) => {
    const [, quoted, bare] = relation.exec(parameters) ?? []
    const relations = (quoted ?? bare ?? '').toLowerCase().split(/\s+/)
    return relations.includes(wanted) && URL.canParse(target, base) ? [new URL(target, base).href] : []
  })
}
