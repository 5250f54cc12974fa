import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../kernel/program/own-files.ts'
import type { BanState } from '../ban.ts'
import { banRule, type Limits, retryJitterSeconds, windowLength } from '../policy.ts'
import type { WindowUsage } from '../usage.ts'

export interface Script {
  text: string
  sha1: string
}

/** The script gets the constants of policy.ts as its first lines, so that they are defined only once. */
export function decideScript(): Script {
  const constants = {
    minuteLength: windowLength.minute,
    dayLength: windowLength.day,
    minuteJitter: retryJitterSeconds.minute,
    dayJitter: retryJitterSeconds.day,
    grace: banRule.grace,
    violationsAtLeast: banRule.violationsAtLeast,
    violationsPerMinuteLimit: banRule.violationsPerMinuteLimit,
    violationsWithin: banRule.within,
    stepForgottenAfter: banRule.stepForgottenAfter,
    durations: `{ ${banRule.durations.join(', ')} }`,
  }
  const lines = Object.entries(constants).map(([name, value]) => `local ${name} = ${value}\n`)
  return toScript(lines.join('') + readFileSync(join(packageFolder, 'src/limits/redis/decide.lua'), 'utf8'))
}

export function toScript(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}

/** `countedToday`: the count in the database; null if it was not read. */
export function scriptArguments(
  limits: Limits,
  keyId: string | null,
  seenElsewhere: number,
  countedToday: number | null,
) {
  return [limits.perMinute, limits.perDay ?? -1, keyId ?? '', seenElsewhere, countedToday ?? -1] as const
}

/** Redis's time if the script has no count for the caller's day, else null. */
export function unknownAt([now = 0, outcome]: readonly number[]): number | null {
  return outcome === 3 ? now : null
}

export interface ScriptReply {
  now: number
  admitted: boolean
  banStarted: boolean
  usage: WindowUsage
  banState: BanState | null
}

/** Fourteen numbers, or only the first six if the request was admitted. */
export function readReply(reply: readonly number[]): ScriptReply {
  const [now = 0, outcome, minuteUsed = 0, minuteResetAt = 0, dayUsed = 0, dayResetAt = 0] = reply
  return {
    now,
    admitted: outcome === 1,
    banStarted: outcome === 2,
    usage: { minuteUsed, minuteResetAt, dayUsed, dayResetAt },
    banState: outcome === 1 ? null : toBanState(reply.slice(6)),
  }
}

export function unpackUsage(stored: Buffer): WindowUsage {
  const [minuteUsed = 0, minuteResetAt = 0, dayUsed = 0, dayResetAt = 0] = unpack(stored)
  return { minuteUsed, minuteResetAt, dayUsed, dayResetAt }
}

export function unpackBanState(stored: Buffer): BanState {
  return toBanState(unpack(stored))
}

export function packBanState(banState: BanState): Buffer {
  const { warnedUntil, countFrom, excusedUntil, violations, violationsUntil } = banState
  const { bannedSince, bannedUntil, step } = banState
  const waiting = [warnedUntil, countFrom, excusedUntil, violations, violationsUntil]
  return Buffer.from(new Float64Array([...waiting, bannedSince, bannedUntil, step]).buffer)
}

function unpack(stored: Buffer): number[] {
  return Array.from({ length: stored.length / 8 }, (_, index) => stored.readDoubleLE(index * 8))
}

function toBanState(figures: readonly number[]): BanState {
  const [warnedUntil = 0, countFrom = 0, excusedUntil = 0, violations = 0] = figures
  const [violationsUntil = 0, bannedSince = 0, bannedUntil = 0, step = 0] = figures.slice(4)
  const waiting = { warnedUntil, countFrom, excusedUntil }
  return { ...waiting, violations, violationsUntil, bannedSince, bannedUntil, step }
}
