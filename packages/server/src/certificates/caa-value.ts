/** The value of an `issue` property. No issuer: nobody is allowed by it. */
export interface IssueValue {
  issuer: string | null
  parameters: { tag: string; value: string }[]
}

const label = '[a-z0-9](?:-*[a-z0-9])*'
const issuerName = new RegExp(`^${label}(?:\\.${label})*$`)
const parameter = new RegExp(`^(${label})[ \\t]*=[ \\t]*([\\x21-\\x3a\\x3c-\\x7e]*)$`, 'i')

/** The grammar of RFC 8659, section 4.2; null where the value does not follow it. */
export function readIssueValue(value: string): IssueValue | null {
  if (value.length > longest) return null
  const [name = '', ...rest] = value.split(';').map((part) => part.replace(/^[ \t]+|[ \t]+$/g, ''))
  const issuer = name.toLowerCase()
  if (issuer !== '' && !issuerName.test(issuer)) return null
  const parts = rest.length === 1 && rest[0] === '' ? [] : rest
  const parameters: IssueValue['parameters'] = []
  for (const part of parts) {
    const [, tag, set] = parameter.exec(part) ?? []
    if (tag === undefined || set === undefined) return null
    parameters.push({ tag: tag.toLowerCase(), value: set })
  }
  return { issuer: issuer === '' ? null : issuer, parameters }
}

/** More than any sensible record, and little enough to be read at once. */
const longest = 2_000
