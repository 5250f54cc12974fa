import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { masterKeyPath, readMasterKeyFile } from '@masthead/server/src/certificates/master-key.ts'
import { purposes } from '@masthead/server/src/certificates/sealed-values.ts'
import { createSealing } from '@masthead/server/src/certificates/sealing.ts'
import { newCertificate } from './bench-certificate.ts'
import { type DomainStock, stockDomains, stockName } from './domain-stock.ts'

/** Domains in SQLite that all have a certificate, which is one and the same, sealed for each name. */
export interface CertificateStock extends DomainStock {
  rootPem: string
}

export async function stockCertificates(count: number): Promise<CertificateStock> {
  const domains = await stockDomains('sqlite', count)
  const { dataFolder } = domains.api
  const keys = readMasterKeyFile(masterKeyPath(dataFolder))
  if (keys === null) throw new Error('The server has made no master key')
  const sealing = createSealing(keys)
  const { rootPem, chainPem, keyPem } = await newCertificate('www.shop.test')
  const day = 24 * 60 * 60 * 1000
  const now = Date.now()

  using database = new DatabaseSync(join(dataFolder, 'masthead.db'))
  const insert = database.prepare(
    `insert into certificates (name, issuer_kind, issuer, serial, chain, sealed_key, not_before, not_after,
       installed_at, renew_at, check_at)
     values (?, 'internal', 'internal', ?, ?, ?, ${now}, ${now + 7 * day}, ${now}, ${now + 5 * day}, ${now + 5 * day})`,
  )
  database.exec('begin')
  for (let n = 0; n < count; n++) {
    const name = stockName(n)
    insert.run(name, n.toString(16), chainPem, sealing.seal(keyPem, purposes.certificate(name)))
  }
  database.exec('commit')
  database.exec('analyze')
  return { ...domains, rootPem }
}
