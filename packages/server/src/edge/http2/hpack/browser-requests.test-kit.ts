import type { OutgoingHttpHeaders } from 'node:http2'

/** What browsers send for a page and its files over HTTP/2, in their order. */

const chrome = {
  'sec-ch-ua': '"Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Linux"',
}
const chromeAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const cookie = 'theme=dark; _ga=GA1.1.1234567890.1700000000; consent=%7B%22all%22%3Atrue%7D'
const pseudo = (path: string) => ({
  ':method': 'GET',
  ':authority': 'www.example.com',
  ':scheme': 'https',
  ':path': path,
})

export function chromePage(path: string): OutgoingHttpHeaders {
  return {
    ...pseudo(path),
    ...chrome,
    'upgrade-insecure-requests': '1',
    'user-agent': chromeAgent,
    accept:
      'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
    'sec-fetch-site': 'none',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-user': '?1',
    'sec-fetch-dest': 'document',
    'accept-encoding': 'gzip, deflate, br, zstd',
    'accept-language': 'en-GB,en;q=0.9,de;q=0.8',
    cookie,
    priority: 'u=0, i',
  }
}

export function chromeFile(path: string, etag?: string): OutgoingHttpHeaders {
  return {
    ...pseudo(path),
    'sec-ch-ua-platform': chrome['sec-ch-ua-platform'],
    'user-agent': chromeAgent,
    'sec-ch-ua': chrome['sec-ch-ua'],
    'sec-ch-ua-mobile': chrome['sec-ch-ua-mobile'],
    accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
    'sec-fetch-site': 'same-origin',
    'sec-fetch-mode': 'no-cors',
    'sec-fetch-dest': 'image',
    referer: 'https://www.example.com/',
    'accept-encoding': 'gzip, deflate, br, zstd',
    'accept-language': 'en-GB,en;q=0.9,de;q=0.8',
    cookie,
    priority: 'u=2, i',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
  }
}

export function firefoxPage(path: string): OutgoingHttpHeaders {
  return {
    ...pseudo(path),
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': 'en-GB,en;q=0.5',
    'accept-encoding': 'gzip, deflate, br, zstd',
    'upgrade-insecure-requests': '1',
    'sec-fetch-dest': 'document',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-site': 'none',
    'sec-fetch-user': '?1',
    'if-modified-since': 'Mon, 21 Oct 2024 20:13:21 GMT',
    'if-none-match': 'W/"5f3c-1924e8a2f40"',
    priority: 'u=0, i',
    te: 'trailers',
  }
}

export function safariFile(path: string): OutgoingHttpHeaders {
  return {
    ...pseudo(path),
    accept: '*/*',
    'sec-fetch-site': 'same-origin',
    'accept-encoding': 'gzip, deflate, br',
    'sec-fetch-mode': 'cors',
    'sec-fetch-dest': 'script',
    'accept-language': 'en-GB,en;q=0.9',
    range: 'bytes=0-1023',
    'if-range': '"a"',
    'user-agent':
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
    referer: 'https://www.example.com/a/b.html?c=%C3%A9',
    priority: 'u=3, i',
  }
}

/** Visits of all three, as one connection through a proxy might carry them. */
export function browserRequests(count: number): OutgoingHttpHeaders[] {
  return Array.from({ length: count }, (_, index) => {
    const path = `/assets/page-${index}/picture.${(index * 7919).toString(16)}.webp?v=${index}`
    switch (index % 6) {
      case 0:
        return chromePage(`/page-${index}/`)
      case 1:
        return firefoxPage(`/page-${index}/`)
      case 2:
        return safariFile(path)
      case 3:
        return chromeFile(path, `"${(index * 104729).toString(36)}"`)
      default:
        return chromeFile(path)
    }
  })
}
