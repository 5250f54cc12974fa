import type { Config, Redirect } from './config-change.ts'

export interface NameChoice {
  name: string
  /** Why the API would not take it here; null where it would. */
  not: string | null
}

/** The names that may redirect. `editing` is the one whose redirect is changed: it is free to stay. */
export function fromChoices(config: Config, names: readonly string[], editing: string | null): NameChoice[] {
  const others = otherRedirects(config, editing)
  return names.map((name) => {
    if (name === config.primary) return { name, not: 'the primary domain' }
    if (others.some(({ from }) => from === name)) return { name, not: 'redirects already' }
    if (others.some(({ to }) => to === name)) return { name, not: 'others redirect to it' }
    return { name, not: null }
  })
}

/** The names that `from` may lead to: others that show the site themselves. */
export function toChoices(
  config: Config,
  names: readonly string[],
  editing: string | null,
  from: string,
): NameChoice[] {
  const others = otherRedirects(config, editing)
  return names.map((name) => {
    if (name === from) return { name, not: 'the same name' }
    if (others.some((each) => each.from === name)) return { name, not: 'redirects itself' }
    return { name, not: null }
  })
}

function otherRedirects({ redirects }: Config, editing: string | null): Redirect[] {
  return redirects.filter(({ from }) => from !== editing)
}
