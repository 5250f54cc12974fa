import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { StartError } from '../kernel/program/process-lifetime.ts'

/** What the database knows of its store. */
export interface KnownStore {
  id: string
  /** False until the id is known to be in the store. */
  isWritten: boolean
}

/** `new`: neither knows the other yet. `missing`: the store has no id. `other`: it has that of another database. */
export type StoreMatch = 'own' | 'new' | 'missing' | 'other'

/** The settings do not lead to the files of this database. */
export class WrongStoreError extends StartError {}

export function compareStore(known: KnownStore | null, found: string | null): StoreMatch {
  if (found === null) return known?.isWritten ? 'missing' : 'new'
  return found === known?.id ? 'own' : 'other'
}

/** What is wrong, and what to do. */
export function explainMismatch(
  match: 'missing' | 'other',
  { dataFolder, s3 }: Pick<Config, 'dataFolder' | 's3'>,
): { message: string; fix: string } {
  const [setting, place, correct] =
    s3 === null
      ? [
          'MASTHEAD_DATA',
          join(dataFolder, 'blobs'),
          'If the files are in S3, set MASTHEAD_BLOBS as on the other nodes; otherwise correct MASTHEAD_DATA.',
        ]
      : [
          'MASTHEAD_BLOBS',
          `s3://${s3.bucket}/${s3.prefix}`,
          'Correct MASTHEAD_BLOBS: it must be the same on every node, and on none if files are in the data folder.',
        ]
  const [fault, other] =
    match === 'missing'
      ? ['does not have the files of this database', 'If the files are lost, restore a backup;']
      : ['has the files of another database', 'If that database is gone,']
  return {
    message: `${setting}: ${place} ${fault}.`,
    fix: `${correct} ${other} to go on with what is there, run: npx masthead-server use-store`,
  }
}

export function wrongStore(
  match: 'missing' | 'other',
  config: Pick<Config, 'dataFolder' | 's3'>,
): WrongStoreError {
  const { message, fix } = explainMismatch(match, config)
  return new WrongStoreError(`${message} ${fix}`)
}
