import { ratio, type Table, whole } from '../report.ts'
import { compare } from './comparison.ts'
import { allRivals, startContest } from './contenders.ts'
import { measureMixedLoad, visitors } from './mixed/measure.ts'
import { fileCount, siteCount } from './mixed/sites.ts'
import { bursts, measureNewConnections, newConnections } from './new-connections.ts'
import { allProtocols, measureSingleFiles } from './single-files.ts'
import { newConnectionsTarget } from './targets.ts'

const settings = { protocols: allProtocols, rounds: 3, seconds: 2, requests: 500 }

/** What an answer costs, beside the servers that people would use instead. */
export async function measureServing(): Promise<Table[]> {
  await using contest = await startContest(allRivals)
  const { contenders } = contest
  const files = await measureSingleFiles(contest, settings)
  const mixed = await measureMixedLoad(contest, { ...settings })
  const connections = await measureNewConnections(contest, settings.rounds)
  const [overHttp1 = 0, overHttp2 = 0] = connections.map(({ figures }) => figures[0])
  const handshakes = compare('New HTTPS connections per second of processor time', contenders, connections, [
    `${whole(bursts * newConnections)} connections, ${whole(newConnections)} at once, each with a whole handshake (TLS 1.3, nothing resumed) and one 4 KB`,
    `file. Masthead over HTTP/2: ${ratio(overHttp2, overHttp1)} of HTTP/1.1.`,
  ])
  if (overHttp2 / overHttp1 < newConnectionsTarget)
    handshakes.broken = [
      `New HTTP/2 connections: ${ratio(overHttp2, overHttp1)} of HTTP/1.1 instead of ${newConnectionsTarget}×.`,
    ]
  return [
    compare('One file, requests per second of processor time', contenders, files, [
      'Each server on one core, the client on another, with the same ECDSA P-256 certificate and AES-128-GCM. Processor time',
      `of the server alone, so that a slow client counts for little; the best of ${settings.rounds} rounds of ${settings.seconds} s in turns. HTTP/1.1: wrk`,
      '(64 connections); HTTP/2: h2load (32 connections, 10 streams each); 10 MB: 4 connections, 2 streams each. Above',
      '1.00× Masthead is the faster one.',
    ]),
    compare('Many files, requests per second of processor time', contenders, mixed, [
      `${whole(fileCount)} files of ${siteCount} sites, asked for by a Zipf distribution with the headers of five browsers, different for each of`,
      `${visitors} visitors. A fifth is conditional. Text is sent in brotli, the same bytes by all. Every answer's status and length`,
      'is checked. HTTP/2: 10 streams at once on each connection.',
    ]),
    handshakes,
  ]
}
