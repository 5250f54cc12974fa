import { main } from '../src/main.ts'

const oldest = 20
const { node } = process.versions
if (Number(node.split('.')[0]) < oldest) {
  process.stderr.write(`masthead needs Node.js ${oldest} or newer, and this is ${node}. Update Node.js.\n`)
  process.exitCode = 1
} else process.exitCode = await main(process, import.meta.url)
