import type { Steps } from '../checks/in-steps.ts'
import type { RedirectList } from '../redirect-list.ts'
import { excerpt, readRuleLines } from '../rule-lines.ts'
import { type RedirectRule, redirectsFile, ruleLimits, ruleStatuses, sizeExcess } from '../rules.ts'
import { addCondition } from './conditions.ts'

/** Reads `_redirects`, in the syntax of Netlify and Cloudflare. */
export function* readRedirects(content: Uint8Array, list: RedirectList): Steps {
  list.excess ??= sizeExcess(redirectsFile, content.byteLength)
  if (list.excess !== null) return
  for (const { number, text, fault } of readRuleLines(content, ruleLimits.redirectLine)) {
    const rule = fault ?? parseLine(text, number)
    if (typeof rule === 'string') list.report({ line: number }, 'error', rule)
    else list.add(rule)
    if (list.excess !== null) return
    yield
  }
}

/** Returns why it cannot be used. */
function parseLine(text: string, line: number): RedirectRule | string {
  const words = text.split(/\s+/)
  const comment = words.findIndex((word) => word.startsWith('#'))
  const [from = '', ...rest] = comment === -1 ? words : words.slice(0, comment)
  const at = rest.findIndex((word) => word.startsWith('/') || /^https?:\/\//i.test(word))
  if (at === -1) return `There is no target. A line is: /from /to 301. The target starts with / or https://.`
  const query = parseQuery(rest.slice(0, at))
  if (typeof query === 'string') return query
  const options = parseOptions(rest.slice(at + 1))
  if (typeof options === 'string') return options
  const to = rest[at] ?? ''
  return { line, from, ...(query.length > 0 && { query }), ...options.conditions, to, ...options.status }
}

function parseQuery(words: readonly string[]): [string, string][] | string {
  const query: [string, string][] = []
  for (const word of words) {
    const [name = '', ...value] = word.split('=')
    if (name === '' || value.length === 0) {
      return `${excerpt(word)} is neither a target nor a condition on the query, such as name=value.`
    }
    query.push([name, value.join('=')])
  }
  return query
}

type Options = {
  status: Pick<RedirectRule, 'status' | 'force'>
  conditions: Pick<RedirectRule, 'languages' | 'countries'>
}

const status = /^(\d{3})(!)?$/

/** What follows the target: a status, then conditions. */
function parseOptions(words: readonly string[]): Options | string {
  const [first = ''] = words
  const given = status.exec(first)
  const code = ruleStatuses.find((one) => one === Number(given?.[1] ?? 301))
  if (code === undefined) return `The status ${first} is not supported. Use ${ruleStatuses.join(', ')}.`
  const options: Options = {
    status: { status: code, ...(given?.[2] !== undefined && { force: true }) },
    conditions: {},
  }
  for (const word of given === null ? words : words.slice(1)) {
    const [name = '', value = ''] = word.split('=')
    if (!/^(?:language|country|role|cookie)$/i.test(name)) {
      return `${excerpt(word)} is not understood. After the target come a status, Language=… and Country=….`
    }
    const problem = addCondition(options.conditions, name, [value])
    if (problem !== null) return problem
  }
  return options
}
