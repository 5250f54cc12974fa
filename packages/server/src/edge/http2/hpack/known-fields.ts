import { KnownBytes } from '../../cache/known-bytes.ts'
import { fieldIds, type HeaderField } from './fields.ts'

const paths = new KnownBytes<HeaderField>(4_096)
const entityTags = new KnownBytes<HeaderField>(4_096)

/**
 * Fields of a name of which visitors send the same values, on many connections, each time in full: encoders do not index
 * them. They are known by the encoded value with its length. Null for other names.
 */
export function knownFields(id: number): KnownBytes<HeaderField> | null {
  if (id === fieldIds[':path']) return paths
  return id === fieldIds['if-none-match'] ? entityTags : null
}
