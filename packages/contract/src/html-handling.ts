/** How paths of HTML files look to visitors. */
export const htmlHandlings = {
  auto: 'Files without .html, folders with a trailing slash',
  'drop-trailing-slash': 'Never a trailing slash',
  'force-trailing-slash': 'Always a trailing slash',
  none: 'Exact paths and folder indexes only, no redirects',
} as const

export type HtmlHandling = keyof typeof htmlHandlings
export const htmlHandlingNames = Object.keys(htmlHandlings) as [HtmlHandling, ...HtmlHandling[]]
