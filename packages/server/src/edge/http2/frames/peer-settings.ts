import { defaultWindow, errorCodes, Http2Error, maxFrameSize, maxWindow, settingIds } from './protocol.ts'

const settingSize = 6
const largestFrameSize = 2 ** 24 - 1

/** What the client asked for that matters to what we send (RFC 9113, 6.5.2). */
export class PeerSettings {
  /** Of each new stream. */
  initialWindow = defaultWindow
  /** Unknown until the first SETTINGS. */
  #ignoresTreePriorities: number | null = null
  #tableSize = 4_096
  /** We never use the table, but a client that made it smaller waits to be told that we know (RFC 9113, 4.3.1). */
  owesTableUpdate = false

  /** Reads the payload of a SETTINGS frame. Throws Http2Error. */
  read(bytes: Buffer, start: number, end: number): void {
    if ((end - start) % settingSize !== 0) {
      throw new Http2Error(errorCodes.frameSizeError, 'SETTINGS has a part of a setting')
    }
    for (let at = start; at < end; at += settingSize)
      this.#set(bytes.readUInt16BE(at), bytes.readUInt32BE(at + 2))
    this.#ignoresTreePriorities ??= 0
  }

  #set(id: number, value: number): void {
    switch (id) {
      case settingIds.headerTableSize:
        if (value < this.#tableSize) {
          this.owesTableUpdate = true
          this.#tableSize = 0
        }
        break
      case settingIds.enablePush:
        requireFlag(value)
        break
      case settingIds.initialWindowSize:
        if (value > maxWindow) {
          throw new Http2Error(errorCodes.flowControlError, 'The initial window is too large')
        }
        this.initialWindow = value
        break
      case settingIds.maxFrameSize:
        if (value < maxFrameSize || value > largestFrameSize) {
          throw new Http2Error(errorCodes.protocolError, 'The frame size is out of range')
        }
        break
      case settingIds.noRfc7540Priorities:
        requireFlag(value)
        if (this.#ignoresTreePriorities !== null && this.#ignoresTreePriorities !== value) {
          throw new Http2Error(errorCodes.protocolError, 'NO_RFC7540_PRIORITIES changed')
        }
        this.#ignoresTreePriorities = value
    }
  }
}

function requireFlag(value: number): void {
  if (value > 1) throw new Http2Error(errorCodes.protocolError, 'A setting is neither 0 nor 1')
}
