import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { FloodCounts, FloodOptions } from './api-flood.ts'

const { port, host, from, connections } = workerData as FloodOptions
const counts: FloodCounts = {}
const open = new Set<Socket>()
let isOver = false

/** Nothing is in a hurry to be refused again: a flood that only opens connections measures the system's, not ours. */
const reconnectDelayMs = 5

function unknownFields(bytes: number): string {
  let text = '{"client":"x"'
  for (let n = 0; text.length < bytes; n++) text += `,"f${n}":1`
  return `${text}}`
}

function post(body: string): Buffer {
  const head = `POST /v1/logins HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`
  return Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
}

const huge = post(unknownFields(8 * 1024 ** 2))
const within = post(unknownFields(60 * 1024))
const openapi = Buffer.from(`GET /v1/openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`)

function count(what: string): void {
  counts[what] = (counts[what] ?? 0) + 1
}

function dial(attack: (socket: Socket) => void): void {
  if (isOver) return
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  open.add(socket)
  socket.on('error', () => {})
  socket.on('connect', () => attack(socket))
  socket.on('close', () => {
    open.delete(socket)
    count('closed')
    setTimeout(() => dial(attack), reconnectDelayMs)
  })
}

/** Sends it again after every answer. */
function repeat(request: Buffer) {
  return (socket: Socket) => {
    socket.on('data', (chunk: Buffer) => {
      for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        count(status)
        if (!isOver && !socket.destroyed) socket.write(request)
      }
    })
    socket.write(request)
  }
}

/** Asks on and on, and takes nothing of the answers. */
function requestWithoutReading(socket: Socket): void {
  socket.pause()
  const again = () => {
    if (isOver || socket.destroyed) return
    if (socket.write(Buffer.concat(Array.from({ length: 50 }, () => openapi))))
      setTimeout(again, reconnectDelayMs)
    else socket.once('drain', again)
  }
  again()
}

for (let n = 0; n < connections; n++) {
  dial(repeat(huge))
  dial(repeat(within))
  dial(requestWithoutReading)
}

parentPort?.on('message', (what: 'tell' | 'stop') => {
  if (what === 'stop') {
    isOver = true
    for (const socket of open) socket.destroy()
  }
  parentPort?.postMessage(counts)
})
