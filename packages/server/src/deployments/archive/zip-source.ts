import type { FileHandle } from 'node:fs/promises'
import { RandomAccessReader } from 'yauzl'

const windowBytes = 128 * 1024

/**
 * The file behind an archive. An archive is read at two places in turn, its directory and its contents, a little
 * at a time; a window on each turns thousands of small reads into a few large ones.
 */
export class ZipSource extends RandomAccessReader {
  readonly #file: FileHandle
  #windows: { start: number; bytes: Buffer }[] = []

  constructor(file: FileHandle) {
    super()
    this.#file = file
  }

  /** `length` bytes from `position` on, fewer at the end of the file. */
  async bytes(position: number, length: number): Promise<Buffer> {
    // yauzl's own reader hands a hostile offset to `fs.read`, which throws where nothing can catch it.
    if (!Number.isSafeInteger(position + length)) return Buffer.alloc(0)
    if (length >= windowBytes) return this.#fromDisk(position, length)
    const end = position + length
    let window = this.#windows.find(
      ({ start, bytes }) => start <= position && end <= start + bytes.byteLength,
    )
    if (!window) {
      window = { start: position, bytes: await this.#fromDisk(position, windowBytes) }
      this.#windows = [window, ...this.#windows.slice(0, 1)]
    } else if (window !== this.#windows[0]) {
      this.#windows.reverse()
    }
    return window.bytes.subarray(position - window.start, end - window.start)
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.bytes(position, length).then(
      (bytes) => callback(null, bytes.copy(buffer, offset)),
      (error: Error) => callback(error),
    )
  }

  /** Whoever opened the file closes it. */
  override close(callback: (error: Error | null) => void): void {
    callback(null)
  }

  async #fromDisk(position: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, position)
    return buffer.subarray(0, bytesRead)
  }
}
