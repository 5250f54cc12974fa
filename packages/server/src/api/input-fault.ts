import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue

/** What is wrong with a field, to be read after its name: "slug must have 1 to 40 characters". */
export function inputFault(issue: Issue): string | undefined {
  if (issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}`
    case 'too_small':
      return `must ${bound(issue.origin, 'at least', Number(issue.minimum))}`
    case 'too_big':
      return `must ${bound(issue.origin, 'at most', Number(issue.maximum))}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`
    case 'invalid_format':
      return formats[issue.format]
    case 'unrecognized_keys':
      return 'is not a field that exists'
    default:
      return undefined
  }
}

const formats: Record<string, string> = {
  email: 'is not an email address',
  datetime: 'must be a time such as 2030-01-31T12:00:00Z',
  template_literal: 'is not an id of that kind',
}

function bound(origin: string, limit: string, amount: number): string {
  if (origin === 'string') return `have ${limit} ${amount} ${amount === 1 ? 'character' : 'characters'}`
  if (origin === 'array') return `have ${limit} ${amount} ${amount === 1 ? 'entry' : 'entries'}`
  return `be ${limit} ${amount}`
}

function withArticle(type: string): string {
  const name = type === 'record' ? 'object' : type
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}
