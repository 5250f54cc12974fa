import type { RedirectStatus } from '@masthead/contract/redirect-statuses.ts'

/** What the status of a redirect tells browsers and search engines, in words. */
export const redirectStatusWords = {
  301: {
    title: '301 permanent',
    meaning:
      'For a move that stays. Browsers and search engines remember it; a form sent there may arrive empty.',
  },
  302: {
    title: '302 temporary',
    meaning: 'For a while. Asked for anew on every visit; a form sent there may arrive empty.',
  },
  307: {
    title: '307 temporary',
    meaning: 'For a while. Asked for anew on every visit; forms and API calls arrive as they were sent.',
  },
  308: {
    title: '308 permanent',
    meaning: 'For a move that stays. Remembered like 301; forms and API calls arrive as they were sent.',
  },
} as const satisfies Record<RedirectStatus, { title: string; meaning: string }>
