import { ratio, type Table, whole } from '../report.ts'
import { compare } from './comparison.ts'
import { allRivals, startContest } from './contenders.ts'
import { measureMixedLoad, visitors } from './mixed/measure.ts'
import { fileCount, siteCount } from './mixed/sites.ts'
import { bursts, measureNewConnections, newConnections } from './new-connections.ts'
import { measureSingleFiles, type Protocol } from './single-files.ts'
import { newConnectionsTarget } from './targets.ts'

const [rounds, seconds] = [2, 2]
/** More of them: a round of the mixed load is short, and its figure differs by a few per cent from one to the next. */
const mixedRounds = { rounds: 4, requests: 1_000 }
/** A single round takes a second, and two of them differ by up to a tenth. */
const handshakeRounds = 8

/** What an answer with one file costs, beside the servers that people would use instead. */
export async function measureOneFile(protocol: Protocol): Promise<Table> {
  await using contest = await startContest(allRivals)
  const rows = await measureSingleFiles(contest, { protocols: [protocol], rounds, seconds })
  const client =
    protocol === 'HTTP/2'
      ? 'h2load (32 connections, 10 streams each; 10 MB: 4 connections, 2 streams each)'
      : 'wrk (64 connections; 10 MB: 4)'
  return compare(
    `One file over ${protocol}, requests per second of processor time`,
    contest.contenders,
    rows,
    [
      `Each server on one core, ${client} on another.`,
      'Processor time of the server alone, so that a slow client counts for little; the best of',
      `${rounds} rounds of ${seconds} s in turns. Above 1.00× Masthead is the faster one.`,
      ...(protocol === 'plain HTTP/1.1'
        ? []
        : ['All with the same ECDSA P-256 certificate and AES-128-GCM.']),
    ],
  )
}

/** The same for many files, as browsers ask for them. */
export async function measureManyFiles(protocol: Protocol): Promise<Table> {
  await using contest = await startContest(allRivals)
  const rows = await measureMixedLoad(contest, { protocols: [protocol], ...mixedRounds })
  return compare(
    `Many files over ${protocol}, requests per second of processor time`,
    contest.contenders,
    rows,
    [
      `${whole(fileCount)} files of ${siteCount} sites, requested by a Zipf distribution with the headers of five browsers, different for`,
      `each of ${visitors} visitors. A fifth is conditional. Text is sent in brotli, the same bytes by all. The status and length of`,
      `every answer are checked. HTTP/2: 10 streams at once on each connection. The best of ${mixedRounds.rounds} rounds in turns.`,
    ],
  )
}

/** What a new connection costs. */
export async function measureHandshakes(): Promise<Table> {
  await using contest = await startContest(allRivals)
  const rows = await measureNewConnections(contest, handshakeRounds)
  const [overHttp1 = 0, overHttp2 = 0] = rows.map(({ figures }) => figures[0])
  const reached = ratio(overHttp2, overHttp1)
  const holds = overHttp2 / overHttp1 >= newConnectionsTarget
  const table = compare('New HTTPS connections per second of processor time', contest.contenders, rows, [
    `${whole(bursts * newConnections)} connections, ${whole(newConnections)} at once, each with a whole handshake (TLS 1.3, nothing resumed) and one 4 KB file.`,
    `The best of ${handshakeRounds} rounds in turns.`,
    `Masthead's over HTTP/2 at ${reached} of those over HTTP/1.1; target ${newConnectionsTarget}×: ${holds ? 'holds' : 'missed'}.`,
  ])
  const broken = holds
    ? []
    : [`New HTTP/2 connections: ${reached} of HTTP/1.1, not ${newConnectionsTarget}×.`]
  return { ...table, broken }
}
