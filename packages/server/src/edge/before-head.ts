import type { ServerResponse } from 'node:http'

/** Acts on an answer at the last moment at which its headers can be set: whoever answers has no say after that. */
export function beforeHead(res: ServerResponse, act: () => void): void {
  const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => ServerResponse
  res.writeHead = (...given: unknown[]) => {
    act()
    return writeHead(...given)
  }
}
