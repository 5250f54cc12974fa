import { second } from '../kernel/clock.ts'
import { type BanState, isBanned } from './ban.ts'
import { type Limits, retryJitterSeconds, type Window } from './policy.ts'
import { dayIsFull, minuteIsFull, openWindows, type WindowUsage } from './usage.ts'

/** The three values of X-RateLimit-*. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly resetAt: number
}

export interface WindowView extends Quota {
  readonly used: number
}

export interface Ban {
  readonly since: number
  readonly until: number
  /** How many bans led up to it, from 1. */
  readonly step: number
  readonly violations: number
}

/** Everything that a response says about limits. Times are in milliseconds, by the clock that decided. */
export interface Verdict {
  readonly at: number
  readonly admitted: boolean
  /** The window most relevant to the caller: see `shownWindow`. */
  readonly shown: Quota
  readonly minute: WindowView
  readonly day: WindowView | null
  /** The windows that rejected the request; empty for a ban. */
  readonly violated: readonly Window[]
  /** An integer, at least 1, never before the reset; null if admitted. */
  readonly retryAfterSeconds: number | null
  readonly ban: Ban | null
  /** This request started the ban. */
  readonly banStarted: boolean
}

const none: readonly Window[] = []

export function admission(open: WindowUsage, limits: Limits, now: number): Verdict {
  const minute = minuteView(open, limits)
  const day = dayView(open, limits)
  const shown = shownWindow(minute, day)
  return {
    at: now,
    admitted: true,
    shown,
    minute,
    day,
    violated: none,
    retryAfterSeconds: null,
    ban: null,
    banStarted: false,
  }
}

/** The remaining requests, without counting one. */
export function peek(usage: WindowUsage, limits: Limits, now: number): Verdict {
  return admission(openWindows(usage, now), limits, now)
}

/** `random` is from 0 up to 1. */
export function rejection(
  open: WindowUsage,
  banState: BanState | null,
  limits: Limits,
  now: number,
  random: number,
  banStarted = false,
): Verdict {
  const minute = minuteView(open, limits)
  const day = dayView(open, limits)
  if (isBanned(banState, now)) {
    const ban = toBan(banState)
    return {
      at: now,
      admitted: false,
      shown: { limit: minute.limit, remaining: 0, resetAt: ban.until },
      minute,
      day,
      violated: none,
      retryAfterSeconds: secondsUntil(ban.until, now),
      ban,
      banStarted,
    }
  }
  const by = rejectedBy(open, limits)
  const jitter = Math.floor(random * (retryJitterSeconds[by] + 1))
  const shown = by === 'day' && day !== null ? day : minute
  return {
    at: now,
    admitted: false,
    shown,
    minute,
    day,
    violated: fullWindows(open, limits),
    retryAfterSeconds: secondsUntil(shown.resetAt, now) + jitter,
    ban: null,
    banStarted: false,
  }
}

/** Combines verdicts of several callers for one request: of each window, the one with less remaining. */
export function mergeVerdicts(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce(merge)
}

function merge(one: Verdict, other: Verdict): Verdict {
  if (one.admitted !== other.admitted) return one.admitted ? other : one
  if (!one.admitted) return (one.retryAfterSeconds ?? 0) >= (other.retryAfterSeconds ?? 0) ? one : other
  const minute = shownWindow(one.minute, other.minute)
  const day = one.day === null ? other.day : shownWindow(one.day, other.day)
  return { ...one, minute, day, shown: shownWindow(minute, day) }
}

export function toBan({ bannedSince, bannedUntil, step, violations }: BanState): Ban {
  return { since: bannedSince, until: bannedUntil, step, violations }
}

/** The window that rejected the request; if both did, the one that ends later. */
export function rejectedBy(open: WindowUsage, limits: Limits): Window {
  if (!dayIsFull(open, limits)) return 'minute'
  return minuteIsFull(open, limits) && open.minuteResetAt > open.dayResetAt ? 'minute' : 'day'
}

function fullWindows(open: WindowUsage, limits: Limits): readonly Window[] {
  const full: Window[] = []
  if (minuteIsFull(open, limits)) full.push('minute')
  if (dayIsFull(open, limits)) full.push('day')
  return full
}

/** The window with less remaining; if equal, the one that ends later. */
function shownWindow(minute: WindowView, day: WindowView | null): WindowView {
  if (day === null || minute.remaining < day.remaining) return minute
  if (day.remaining < minute.remaining) return day
  return day.resetAt >= minute.resetAt ? day : minute
}

export function minuteView({ minuteUsed, minuteResetAt }: WindowUsage, { perMinute }: Limits): WindowView {
  return viewOf(perMinute, minuteUsed, minuteResetAt)
}

export function dayView({ dayUsed, dayResetAt }: WindowUsage, { perDay }: Limits): WindowView | null {
  return perDay === null ? null : viewOf(perDay, dayUsed, dayResetAt)
}

function viewOf(limit: number, used: number, resetAt: number): WindowView {
  return { limit, used, remaining: used < limit ? limit - used : 0, resetAt }
}

export function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / second))
}
