import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // Not `start`, which would have the shell read the address.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Shows a page in the person's browser, where there is one; nobody is told where there is none. */
export function openBrowser(url: string): void {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
