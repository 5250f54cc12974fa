import type { SiteBlock } from '../projects/site.ts'
import { page } from './page.ts'
import type { Reply } from './response.ts'

export function unknownHostPage(hostname: string): Reply {
  return page({
    status: 404,
    title: 'Nothing is published here',
    sentences: [
      `No project is published at ${hostname}.`,
      'If you followed a link, check the name for a slip. If the project is yours, see in its dashboard which names it has.',
    ],
  })
}

export function unknownDomainPage(hostname: string): Reply {
  return page({
    status: 404,
    title: 'Nothing is published here',
    sentences: [
      `No site is published at ${hostname} here.`,
      'If this is your domain, add it to your project under Settings → Domains and verify it.',
    ],
  })
}

export function nothingPublishedPage(slug: string): Reply {
  return page({
    status: 404,
    title: 'Nothing is published yet',
    sentences: [
      `The project ${slug} exists, but has no deployment to show.`,
      'If it is yours, publish a folder with “masthead deploy”, then load this page again.',
    ],
  })
}

export function blockedPage({ status, reason }: SiteBlock): Reply {
  if (reason === null) return unavailableSitePage
  const by = status === 451 ? 'for legal reasons ' : ''
  return page({
    status,
    title: 'This site is not available',
    sentences: [`The operator of this server took it down ${by}and gives this reason:`, reason],
  })
}

const unavailableSitePage = page(
  {
    status: 503,
    title: 'This site is not available',
    sentences: ['It is not being served at the moment.', 'If it is yours, see why in your dashboard.'],
  },
  ['Retry-After', '3600'],
)

export const notFoundPage = page({
  status: 404,
  title: 'This page does not exist',
  sentences: [
    'There is no file at this address.',
    'Check the address for a slip, or begin at the front page.',
  ],
})

export const methodNotAllowedPage = page(
  {
    status: 405,
    title: 'This site can only be read',
    sentences: ['Published sites answer GET and HEAD. Send the request to the service that expects it.'],
  },
  // What came with the request stays unread, so the connection cannot be used again.
  ['Allow', 'GET, HEAD', 'Connection', 'close'],
)

export const unavailablePage = page(
  {
    status: 503,
    title: 'This page cannot be shown right now',
    sentences: ['The server could not read what it needs.', 'Load the page again in a few seconds.'],
  },
  ['Retry-After', '5'],
)

export const misdirectedPage = page(
  {
    status: 421,
    title: 'This connection is for another site',
    sentences: [
      'The connection was opened for another name than the request asks for.',
      'Load the page again.',
    ],
  },
  ['Connection', 'close'],
)

export const badRequestPage = page({
  status: 400,
  title: 'The request names no site',
  sentences: ['The Host header is missing or is not a host name.', 'Open the site by its name.'],
})
