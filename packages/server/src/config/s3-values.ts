import type { Read } from './config-values.ts'

/** Where files are, if not in the data folder. */
export interface S3Settings {
  bucket: string
  /** Of every key: empty, or ending in a slash. */
  prefix: string
  /** Its origin. */
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | null
  /** The bucket is in the path, or else in the hostname. */
  pathStyle: boolean
}

/** `s3://bucket/prefix`, without credentials or anything else. */
export const s3Location: Read<{ bucket: string; prefix: string }> = (value) => {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9_./-]{0,200}))?$/.exec(value)
  const [, bucket = '', path = ''] = match ?? []
  const folders = path.replace(/\/$/, '').split('/')
  const isPlain = path === '' || folders.every((folder) => folder !== '' && !/^\.{1,2}$/.test(folder))
  return match !== null && isPlain
    ? { bucket, prefix: path === '' ? '' : `${folders.join('/')}/` }
    : { fault: 'Use a bucket and, if you like, a folder in it, such as s3://masthead/production.' }
}

/** Without a slash at its end. */
export const s3Endpoint: Read<string> = (value) => {
  const url = URL.canParse(value) ? new URL(value) : null
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === ''
  return isPlain && /^https?:$/.test(url.protocol)
    ? url.href.replace(/\/$/, '')
    : { fault: 'Use the address of an S3 server, such as https://s3.example.com.' }
}

export const s3Region: Read<string> = (value) =>
  /^[A-Za-z0-9-]{1,50}$/.test(value) ? value : { fault: 'Use the name of a region, such as eu-central-1.' }

/** Goes into a header of every request. */
export const s3Credential: Read<string> = (value) =>
  /^[\x21-\x7e]{1,4000}$/.test(value) ? value : { fault: 'Use letters, digits and signs without spaces.' }
