import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { sql } from 'kysely'
import { blobPath, documentPath } from '../../blobs/blob-store.ts'
import { openS3Store, s3Settings } from '../../blobs/each-store.test-kit.ts'
import { openSqlite } from '../../database/each-database.test-kit.ts'
import { digestOf, startPublishing } from '../../deployments/deployments.test-kit.ts'
import { manifestName } from '../../deployments/manifest-document.ts'
import { remove } from '../../deployments/sweep/sweep.test-kit.ts'
import { sweep } from '../../deployments/sweep/sweep.ts'
import { installedFiles } from '../files/installed-files.ts'
import { StoredFiles } from '../files/stored-files.ts'
import { quiet } from '../installation.test-kit.ts'
import { findLostFiles } from './find-lost-files.ts'
import { pathOfLost } from './lost-file.ts'
import { FilesOfBackup, mendFiles } from './mend-files.ts'

test('files that S3 has damaged are found, replaced by a backup, and stop no backup or sweep', {
  skip: skipWithout('swift'),
}, async () => {
  await using folder = await temporaryFolder()
  await using database = await openSqlite()
  const settings = await s3Settings()
  const { swift, bucket, prefix } = settings
  await using opened = await openS3Store(settings, { retryReadsMs: 0 })
  const { store: blobs } = opened
  await using publishing = await startPublishing(database, blobs)
  const site = { '/index.html': 'the first page', '/style.css': 'the style' }
  const deployment = await publishing.publish(site)
  const sha256 = digestOf(site['/index.html'])
  const path = blobPath({ accountId: publishing.account.id, sha256 })
  const put = (key: string, content: string) => swift.request('PUT', `${bucket}/${prefix}${key}`, content)
  await put(path, 'the first pace')

  const stores = { database, blobs }
  const find = () => findLostFiles(stores, publishing.account.id)
  const found = await find()
  assert.deepEqual(
    found.lost.map((one) => [pathOfLost(one), one.fault]),
    [[path, 'damaged']],
  )
  await new StoredFiles(join(folder.path, 'files')).add([Buffer.from(site['/index.html'])])
  using backup = await FilesOfBackup.open(folder.path)
  assert.deepEqual(await mendFiles({ ...stores, backup, progress: quiet }, publishing.account.id, found), [])
  assert.deepEqual(await publishing.contents(deployment), site)
  assert.deepEqual(await find(), { lost: [], back: [] })

  // As when a tool copied it without its metadata.
  const manifest = documentPath(manifestName(deployment.id))
  await put(manifest, '{}')
  const { lost } = await find()
  assert.deepEqual(
    lost.map((one) => [pathOfLost(one), one.fault]),
    [[manifest, 'damaged']],
  )

  const { rows: files } = await sql<{ file: string }>`pragma database_list`.execute(database.read)
  const rows = new DatabaseSync(files[0]?.file ?? '')
  const listed = await Array.fromAsync(installedFiles(rows, blobs))
  rows.close()
  const documents = listed.filter((file) => file.kind === 'document')
  assert.deepEqual(
    documents.map(({ content, isRequired }) => [content, isRequired]),
    [[null, true]],
  )

  await remove(publishing, deployment)
  await sweep(publishing.context)
  assert.deepEqual(await database.read.selectFrom('discarded_manifests').selectAll().execute(), [])
})
