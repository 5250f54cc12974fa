/** A message as TCP carries it: after two bytes with its length (RFC 1035, section 4.2.2). */
export function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

/** The messages of a stream. One that announces more than `longest` bytes ends it. */
export async function* splitFrames(source: AsyncIterable<Buffer>, longest: number): AsyncGenerator<Buffer> {
  let pending = Buffer.alloc(0)
  for await (const chunk of source) {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 2) {
      const length = pending.readUInt16BE(0)
      if (length > longest) return
      if (pending.length < 2 + length) break
      yield pending.subarray(2, 2 + length)
      pending = pending.subarray(2 + length)
    }
  }
}
