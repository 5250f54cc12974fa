import type { RedirectRule } from '../rules.ts'

type Conditions = Pick<RedirectRule, 'languages' | 'countries'>

/** Adds one of Netlify's conditions to a rule. Returns why it cannot be used. */
export function addCondition(rule: Conditions, name: string, given: readonly string[]): string | null {
  const values = given.flatMap((one) => one.toLowerCase().split(',')).map((one) => one.trim())
  switch (name.toLowerCase()) {
    case 'language':
      rule.languages = values.filter((one) => /^[a-z0-9-]{1,35}$/.test(one))
      return rule.languages.length > 0 ? null : 'Language needs a value, such as de,fr.'
    case 'country': {
      rule.countries = values.filter((one) => one !== '')
      const wrong = rule.countries.find((one) => !isCountry(one))
      if (wrong !== undefined || rule.countries.length === 0) {
        return 'Country needs codes of two letters, such as de,at.'
      }
      return null
    }
    default:
      return `${name.slice(0, 50)} is not supported. Without it the rule would apply to everybody, so it is not used.`
  }
}

/** ISO 3166-1, and what proxies say of visitors without a country, such as `T1` for Tor. */
export function isCountry(text: string): boolean {
  return /^[a-z][a-z0-9]$/i.test(text)
}
