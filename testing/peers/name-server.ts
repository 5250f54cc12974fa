import { Resolver } from 'node:dns/promises'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freeDnsPort } from '../free-port.ts'
import { startSupervised } from '../supervised-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { until } from '../until.ts'

/** Record lines such as `www 300 CNAME target.example.`; names without a final dot are below the zone. */
export type ZoneContent = string | { records: string; negativeTtl?: number }

/**
 * The lines as a whole zone file. The start of authority is always added; the nameserver `ns` at the given
 * address only where the lines bring none of their own for the apex (written as `@ … NS …`).
 */
function zoneFile(zone: string, content: ZoneContent, serial: number, address: string): string {
  const { records, negativeTtl = 300 } = typeof content === 'string' ? { records: content } : content
  const bringsNameservers = /^@\s[^;\n]*\bNS\s/im.test(records)
  const nameserver = bringsNameservers ? '' : `@ NS ns\nns A ${address}\n`
  const authority = `@ SOA ns hostmaster ${serial} 3600 600 86400 ${negativeTtl}\n`
  const lines = records.split('\n').map((line) => line.trim())
  return `$ORIGIN ${zone}.\n$TTL 3600\n${authority}${nameserver}${lines.join('\n')}\n`
}

export interface NameServerOptions {
  /** Any of 127.0.0.0/8, so that several can share a port as real servers do. */
  address?: string
  port?: number
  zones: Record<string, ZoneContent>
}

export interface RunningNameServer extends AsyncDisposable {
  address: string
  port: number
  /** Changes or adds a zone; afterwards the new content is what is answered. */
  setZone(name: string, content: ZoneContent): Promise<void>
  /** Its names belong to the zone above afterwards, if there is one. */
  removeZone(name: string): Promise<void>
  stop(): Promise<void>
}

/** What differs between the programs. Zone files lie in the folder as `<zone>.zone`. */
export interface NameServerProgram {
  name: string
  command(folder: string): string[]
  /** The content of its settings files by name, for the zones it shall hold. */
  settings(at: { folder: string; address: string; port: number; zones: string[] }): Record<string, string>
  /** Makes the running server read its settings again. */
  reloadSettings(folder: string): Promise<void>
  reloadZone(folder: string, zone: string): Promise<void>
}

/** A real nameserver of its own on the loopback. It does not keep the process alive. */
export async function startNameServer(
  program: NameServerProgram,
  { address = '127.0.0.1', port: givenPort, zones }: NameServerOptions,
): Promise<RunningNameServer> {
  const port = givenPort ?? (await freeDnsPort(address))
  const { path: folder } = await temporaryFolder(`masthead-${program.name.toLowerCase()}`)
  const serials = new Map<string, number>()
  async function write(zone: string, content: ZoneContent): Promise<void> {
    const serial = (serials.get(zone) ?? 0) + 1
    serials.set(zone, serial)
    await writeFile(join(folder, `${zone}.zone`), zoneFile(zone, content, serial, address))
    await writeSettings()
  }
  async function writeSettings(): Promise<void> {
    const settings = program.settings({ folder, address, port, zones: [...serials.keys()] })
    for (const [file, text] of Object.entries(settings)) await writeFile(join(folder, file), text)
  }
  for (const [zone, content] of Object.entries(zones)) await write(zone, content)

  const logFile = join(folder, 'log')
  const command = ['sh', '-c', 'exec "$@" 2>"$0"', logFile, ...program.command(folder)]
  const { stop } = await startSupervised({ command, folder, ports: [] })

  function resolverHere(): Resolver {
    const resolver = new Resolver({ timeout: 500, tries: 1 })
    resolver.setServers([`${address}:${port}`])
    return resolver
  }
  async function served(zone: string): Promise<void> {
    const resolver = resolverHere()
    for (let attempt = 0; attempt < 100; attempt++) {
      const soa = await resolver.resolveSoa(zone).catch(() => null)
      if (soa?.serial === serials.get(zone)) return
      await delay(50)
    }
    throw await notServed(zone)
  }
  async function notServed(zone: string, cause?: unknown): Promise<Error> {
    const log = await readFile(logFile, 'utf8')
    return new Error(`${program.name} does not serve ${zone}:\n${cause ?? ''}\n${log}`)
  }
  try {
    for (const zone of serials.keys()) await served(zone)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    address,
    port,
    async setZone(zone, content) {
      const isNew = !serials.has(zone)
      await write(zone, content)
      try {
        if (isNew) await program.reloadSettings(folder)
        await program.reloadZone(folder, zone)
      } catch (error) {
        throw await notServed(zone, error)
      }
      await served(zone)
    },
    async removeZone(zone) {
      serials.delete(zone)
      await writeSettings()
      await program.reloadSettings(folder)
      const resolver = resolverHere()
      await until(async () => (await resolver.resolveSoa(zone).catch(() => null)) === null)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
