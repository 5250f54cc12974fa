import { command } from '../command.ts'
import { drawUsage } from '../usage/draw-usage.ts'

export const usage = command({
  name: 'usage',
  summary: 'Show the requests and the storage used, the limits, and banned keys',
  usage: ['usage'],
  about: ['All keys of the account draw on the same limits. Asking costs one request as well.'],
  options: {},
  examples: [
    ['masthead usage', 'this minute, today, the last two hours and the last 30 days'],
    ['masthead usage --json', 'the same figures, for programs'],
  ],
  words: 0,
  async run(context) {
    const { out, signal } = context
    const client = await context.signedIn()
    const used = await client.getUsage({ signal })
    const place = { now: Date.now(), width: out.width }
    const text = drawUsage(used, place, (style, part) => out.style(style, part))
    return { document: used, text }
  },
})
