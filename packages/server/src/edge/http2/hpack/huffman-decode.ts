import { HpackError } from './hpack-error.ts'
import { codeLengths, codes, endOfString } from './huffman-code.ts'

/**
 * The code as a state machine that takes four bits at a time. A state is an inner node of the code's tree; no code is
 * shorter than five bits, so a step completes at most one symbol. A transition holds the next state, the symbol and
 * these flags.
 */
const symbolShift = 8
const emits = 0x10000
const fails = 0x20000
const { transitions, mayEnd } = buildStates()

/** Shared by all strings up to this length. */
const scratch = Buffer.allocUnsafeSlow(8 * 1024)

/** The string that these bytes stand for, one character per byte. */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string {
  const longest = Math.ceil(((end - start) * 8) / 5)
  const target = longest <= scratch.length ? scratch : Buffer.allocUnsafe(longest)
  let state = 0
  let length = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    const high = transitions[(state << 4) | (byte >> 4)] as number
    if (high >= emits) target[length++] = (high >> symbolShift) & 0xff
    const low = transitions[((high & 0xff) << 4) | (byte & 0x0f)] as number
    if (low >= emits) target[length++] = (low >> symbolShift) & 0xff
    if ((high | low) >= fails) throw new HpackError('A string contains the end-of-string symbol')
    state = low & 0xff
  }
  if (mayEnd[state] === 0) throw new HpackError('A string has wrong padding')
  return target.toString('latin1', 0, length)
}

function buildStates() {
  const tree = buildTree()
  const transitions = new Uint32Array(tree.length * 16)
  for (let state = 0; state < tree.length; state++) {
    for (let bits = 0; bits < 16; bits++) transitions[state * 16 + bits] = step(tree, state, bits)
  }
  // Padding is the start of the end-of-string code, all ones, and shorter than a byte (RFC 7541, 5.2).
  const mayEnd = new Uint8Array(tree.length)
  for (let ones = 0, state = 0; ones < 8; ones++) {
    mayEnd[state] = 1
    state = tree[state]?.[1] as number
  }
  return { transitions, mayEnd }
}

/** Inner nodes of the code's tree, the root first. A child is another inner node, or a leaf: `~symbol`. */
function buildTree(): [number, number][] {
  const tree: [number, number][] = [[0, 0]]
  for (let symbol = 0; symbol < codes.length; symbol++) {
    const code = codes[symbol] as number
    let node = 0
    for (let bit = (codeLengths[symbol] as number) - 1; bit > 0; bit--) {
      const children = tree[node] as [number, number]
      const side = ((code >>> bit) & 1) as 0 | 1
      if (children[side] === 0) children[side] = tree.push([0, 0]) - 1
      node = children[side]
    }
    ;(tree[node] as [number, number])[(code & 1) as 0 | 1] = ~symbol
  }
  return tree
}

function step(tree: [number, number][], from: number, bits: number): number {
  let node = from
  let emitted = 0
  for (let bit = 3; bit >= 0; bit--) {
    node = tree[node]?.[((bits >> bit) & 1) as 0 | 1] as number
    if (node >= 0) continue
    if (~node === endOfString) return emits | fails
    emitted = emits | (~node << symbolShift)
    node = 0
  }
  return emitted | node
}
