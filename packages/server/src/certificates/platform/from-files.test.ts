import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { issueLeaf } from '../internal-ca/leaf.ts'
import { newRoot } from '../internal-ca/root.ts'
import { newKeyPair, privateKeyPem } from '../key-pair.ts'
import { fromFiles } from './from-files.ts'
import { fromInternalCa } from './from-internal-ca.ts'

const now = Date.now
const nothing = { find: async () => null, close() {} }
const silent = { error() {} }

async function startFiles() {
  const folder = await temporaryFolder('masthead-certificate-files')
  const root = await newRoot(now())
  const files = { certificateFile: join(folder.path, 'chain.pem'), keyFile: join(folder.path, 'key.pem') }
  async function write(name: string) {
    const keys = await newKeyPair()
    const { chainPem, serial } = await issueLeaf(root, { name, publicKey: keys.publicKey, now: now() })
    // As certificate tools do it: written aside, then put in place.
    await writeFile(`${files.keyFile}.new`, privateKeyPem(keys))
    await rename(`${files.keyFile}.new`, files.keyFile)
    await writeFile(`${files.certificateFile}.new`, chainPem)
    await rename(`${files.certificateFile}.new`, files.certificateFile)
    return serial
  }
  return { root, files, write, [Symbol.asyncDispose]: () => folder.remove() }
}

test('a certificate from files is served for its names, others are asked for elsewhere', async () => {
  await using place = await startFiles()
  const serial = await place.write('acme.pages.example')
  const otherwise = fromInternalCa(place.root, now)
  const certificates = await fromFiles({ files: place.files, otherwise, onChanged() {}, log: silent })
  try {
    const found = await certificates.find('acme.pages.example')
    assert.equal(found?.serial, serial)
    assert.equal(
      await certificates.find('acme.pages.example'),
      found,
      'the same value, so that it is kept once',
    )
    const other = await certificates.find('masthead.example')
    assert.notEqual(other?.serial, serial)
  } finally {
    certificates.close()
  }
})

test('files that are replaced are read anew, and told', async () => {
  await using place = await startFiles()
  await place.write('acme.pages.example')
  const changed = Promise.withResolvers<void>()
  const certificates = await fromFiles({
    files: place.files,
    otherwise: nothing,
    onChanged: () => changed.resolve(),
    log: silent,
    lookEvery: 20,
  })
  try {
    const serial = await place.write('acme.pages.example')
    await changed.promise
    assert.equal((await certificates.find('acme.pages.example'))?.serial, serial)
  } finally {
    certificates.close()
  }
})

test('a key that is not the certificate’s stops the start with the names of both files', async () => {
  await using place = await startFiles()
  await place.write('acme.pages.example')
  await writeFile(place.files.keyFile, privateKeyPem(await newKeyPair()))
  const opening = fromFiles({ files: place.files, otherwise: nothing, onChanged() {}, log: silent })
  await assert.rejects(opening, /key\.pem is not the key of the certificate in .*chain\.pem/)
})
