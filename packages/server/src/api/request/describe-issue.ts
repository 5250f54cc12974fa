import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue
type UnionIssue = z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>

/** Describes an issue so that it can follow the field's name: "slug must have 1 to 40 characters". */
export function describeIssue(issue: Issue): string {
  if (issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${nameOfType(issue.expected)}`
    case 'too_small':
      return `must ${bound(issue.origin, 'at least', Number(issue.minimum))}`
    case 'too_big':
      return `must ${bound(issue.origin, 'at most', Number(issue.maximum))}`
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_format':
      return formats[issue.format] ?? 'has the wrong format'
    case 'invalid_union':
      return describeUnion(issue)
    case 'invalid_key':
      return `is not a valid name: it ${issue.issues[0]?.message ?? 'has the wrong format'}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return 'is not a known field'
    default:
      return 'is not valid'
  }
}

const formats: Record<string, string> = {
  email: 'is not an email address',
  datetime: 'must be a time such as 2030-01-31T12:00:00Z',
  template_literal: 'is not a valid id',
}

/** By what is wrong with it as the member of its type or, if there is none, by all that it could be. */
function describeUnion({ input, errors }: UnionIssue): string {
  const first = errors.flatMap(([issue]) => (issue === undefined ? [] : [issue]))
  const values = first.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values : []))
  if (values.length > 0) return oneOf(values)
  const ofItsType = first.find((issue) => issue.code !== 'invalid_type' || isFraction(issue, input))
  if (ofItsType !== undefined) return ofItsType.message
  const types = first.flatMap((issue) => (issue.code === 'invalid_type' ? [nameOfType(issue.expected)] : []))
  return types.length === 0 ? 'is not valid' : `must be ${[...new Set(types)].join(' or ')}`
}

function isFraction({ expected }: z.core.$ZodIssueInvalidType, input: unknown): boolean {
  return expected === 'int' && typeof input === 'number'
}

function oneOf(values: readonly unknown[]): string {
  return `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`
}

function bound(origin: string, limit: string, amount: number): string {
  if (origin === 'string') return `have ${limit} ${amount} ${amount === 1 ? 'character' : 'characters'}`
  if (origin === 'array') return `have ${limit} ${amount} ${amount === 1 ? 'entry' : 'entries'}`
  return `be ${limit} ${amount}`
}

const typeNames: Record<string, string> = { int: 'whole number', record: 'object' }

function nameOfType(type: string): string {
  const name = typeNames[type] ?? type
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}
